import { type AppError, type Caller, errors } from '@svc/kernel'
import type { Column, Condition, Row } from '@svc/store/contract'
import type { ComputedField, Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { fieldAccess, type FieldAccess } from './field.ts'
import type { Guarded } from '../model/permission.ts'
import { judgeOperation } from './operation.ts'
import { type Judging, passes, type Verdict } from './verdict.ts'

/** What one caller may do with one resource: the only source of readable columns and of the row predicate. */
export class Access {
  readonly caller: Caller
  readonly resource: Resource
  readonly #fields: FieldAccess
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number
  readonly #verdicts = new Map<Guarded, Verdict>()

  constructor(resource: Resource, caller: Caller, now: () => number) {
    this.caller = caller
    this.resource = resource
    this.now = now
    this.#fields = fieldAccess(resource, caller)
  }

  /** Fields that answers show unless others are asked for. */
  get shown(): readonly Field[] {
    return this.#fields.shown
  }

  /** The columns to read for `fields`: masked ones have none. */
  columns(fields: readonly Field[]): readonly Column[] {
    return this.#fields.columns(fields)
  }

  /** Whether rows can be shown as they are read: nothing is masked, and nothing is worked out. */
  get isPlain(): boolean {
    return this.#fields.masked.size === 0 && this.#fields.formulas.length === 0
  }

  /** Formulas worked out on every read, each after those that it reads. */
  get formulas(): readonly ComputedField[] {
    return this.#fields.formulas
  }

  /** Fields that the caller may name in filters, sorts and searches. */
  readable(name: string): Field | undefined {
    return this.#fields.readable.get(name)
  }

  /** Every field that the caller may read, in the order of the definition. */
  readableFields(): Iterable<Field> {
    return this.#fields.readable.values()
  }

  /** Fields that the caller may ask for by name, masked and requestable ones too. */
  selectable(name: string): Field | undefined {
    return this.#fields.selectable.get(name)
  }

  /** Names of the fields that show `***` in place of their value. */
  get masked(): ReadonlySet<string> {
    return this.#fields.masked
  }

  writable(field: Field): boolean {
    return this.#fields.writable(field)
  }

  /** The rows that `operation` may touch; throws UNAUTHORIZED or FORBIDDEN where that is none at all. */
  rows(operation: Guarded): Condition {
    const verdict = this.#open(operation)
    return verdict.kind === 'some' ? verdict.rows() : EVERY_ROW
  }

  /** Columns that have to be read before `assertRecord` can decide; throws where no record could pass. */
  deciding(operation: Guarded): readonly Column[] {
    const verdict = this.#open(operation)
    return verdict.kind === 'some' ? verdict.reads : NO_COLUMNS
  }

  /** Throws where no record at all could pass `operation`. */
  assert(operation: Guarded): void {
    this.#open(operation)
  }

  /** Lets `operation` touch `record`, or throws. An owner's permission never covers a create: there is no owner yet. */
  assertRecord(operation: Guarded, record: Row): void {
    if (!passes(this.#open(operation), record)) throw forbidden()
  }

  /** Whether `operation` may touch `record`. */
  mayTouch(operation: Guarded, record: Row): boolean {
    return passes(this.#verdict(operation), record)
  }

  /** What else permissions are judged by, for `op`. */
  judging(op: string): Judging {
    const { caller, resource } = this
    const ownerField = op === 'create' ? undefined : resource.ownerField
    return { caller, fields: resource.fields, ownerField, op, now: this.now }
  }

  #open(operation: Guarded): Exclude<Verdict, { kind: 'none' }> {
    const verdict = this.#verdict(operation)
    if (verdict.kind === 'none') throw verdict.anonymous ? errors.UNAUTHORIZED() : forbidden()
    return verdict
  }

  #verdict(operation: Guarded): Verdict {
    const known = this.#verdicts.get(operation)
    if (known) return known
    const verdict = judgeOperation(this.resource, operation, this.judging(operation))
    this.#verdicts.set(operation, verdict)
    return verdict
  }
}

const NO_COLUMNS: readonly Column[] = []
const EVERY_ROW: Condition = Object.freeze({ op: 'always' })

const forbidden = (): AppError => errors.FORBIDDEN()
