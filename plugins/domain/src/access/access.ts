import { type AppError, type Caller, errors } from '@svc/kernel'
import { NO_REACH, type Neighbours, type Reach } from '@svc/expression/contract'
import type { Column, Condition, Row } from '@svc/store/contract'
import type { ComputedField, Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { fieldAccess, type FieldAccess } from './field.ts'
import type { Restricted } from '../contract/restriction.ts'
import type { Guarded } from '../model/permission.ts'
import { judgeOperation } from './operation.ts'
import { refusal, ruleOf } from './refusal.ts'
import { restrictionsOf } from './restrictions.ts'
import { type Judging, passes, type Verdict } from './verdict.ts'

/** What one caller may do with one resource: the only source of readable columns and of the row predicate. */
export class Access {
  readonly caller: Caller
  readonly resource: Resource
  readonly #fields: FieldAccess
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number
  readonly #verdicts = new Map<Guarded, Verdict>()

  /** The access of a caller who asks again and again: it is made once. */
  static of(resource: Resource, caller: Caller, now: () => number): Access {
    const known = remembered.get(resource) ?? new WeakMap<Caller, Access>()
    const found = known.get(caller)
    if (found !== undefined) return found
    const made = new Access(resource, caller, now)
    remembered.set(resource, known.set(caller, made))
    return made
  }

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

  /** The related records that `fields` are worked out from: nothing where none of them reaches. */
  reachOf(fields: readonly Field[]): Reach {
    return this.#fields.reachOf(fields)
  }

  /** Whether rows can be shown as they are read: nothing is masked, and nothing is worked out. */
  get isPlain(): boolean {
    const { masked, formulas, readableByOwner } = this.#fields
    return masked.size === 0 && formulas.length === 0 && readableByOwner.size === 0
  }

  /** The columns of `fields` where records can leave as they are read; undefined where they cannot. */
  exactColumns(fields: readonly Field[]): readonly Column[] | undefined {
    const { masked, formulas, readableByOwner } = this.#fields
    if (masked.size > 0 || readableByOwner.size > 0) return undefined
    if (formulas.some((one) => fields.includes(one))) return undefined
    const columns = this.columns(fields)
    return columns.length === fields.length ? columns : undefined
  }

  /** Formulas worked out on every read, each after those that it reads. */
  get formulas(): readonly ComputedField[] {
    return this.#fields.formulas
  }

  /**
   * Fields that the caller may name in filters, sorts and searches: those that it may read in every record, since
   * records of others would tell of themselves by their place in the answer.
   */
  readable(name: string): Field | undefined {
    return this.#fields.readable.get(name)
  }

  /** Fields that the caller may read in some record at least. */
  visible(name: string): Field | undefined {
    return this.#fields.visible.get(name)
  }

  /** Whether the caller may read a field in `record`: the owner of a record may read more than others. */
  readableIn(record: Row, name: string): boolean {
    const { visible, readableByOwner } = this.#fields
    return visible.has(name) && (!readableByOwner.has(name) || this.#owns(record))
  }

  /** How a field that the caller may ask for stands in an answer: as it is, as `***`, or not at all. */
  sight(record: Row, name: string): 'value' | 'mask' | 'nothing' {
    const { masked, readableByOwner } = this.#fields
    if (readableByOwner.has(name) && !this.#owns(record)) return masked.has(name) ? 'mask' : 'nothing'
    return masked.has(name) && !readableByOwner.has(name) ? 'mask' : 'value'
  }

  /** Whether `record` shows its owner more than others, and the caller is its owner. */
  showsOwnerMore(record: Row): boolean {
    return this.#fields.readableByOwner.size > 0 && this.#owns(record)
  }

  /** Every field that the caller may read, in the order of the definition. */
  readableFields(): Iterable<Field> {
    return this.#fields.readable.values()
  }

  /** Fields that the caller may ask for by name, masked and requestable ones too. */
  selectable(name: string): Field | undefined {
    return this.#fields.selectable.get(name)
  }

  /** Names of the fields that show `***` in place of their value, if only in records of others. */
  get masked(): ReadonlySet<string> {
    return this.#fields.masked
  }

  /** Whether the caller may write a field in every record. */
  writable(field: Field): boolean {
    return this.#fields.writable(field)
  }

  /** Whether the caller may write a field in records of its own, and in no others. */
  writableByOwner(field: Field): boolean {
    return this.#fields.writableByOwner(field)
  }

  /** Whether the caller may write a field in `record`. */
  writableIn(record: Row, field: Field): boolean {
    return this.writable(field) || (this.writableByOwner(field) && this.#owns(record))
  }

  /** The rows that `operation` may touch; throws UNAUTHORIZED or FORBIDDEN where that is none at all. */
  rows(operation: 'list' | 'get' | 'update'): Condition {
    return this.#restricted(operation, this.#open(operation))
  }

  /** The same, or undefined where that is none at all. */
  rowsIfAny(operation: 'list' | 'get' | 'update'): Condition | undefined {
    const verdict = this.#verdict(operation)
    return verdict.kind === 'none' ? undefined : this.#restricted(operation, verdict)
  }

  /**
   * The records that may stand beside others which lead to them: one that may be got, or of several those that may be listed, and in
   * either case none that blocks take out of lists, or keep from what is done with these besides (`also`). Undefined where that is none at all.
   */
  beside(operation: 'get' | 'list', also: readonly Restricted[] = []): Condition | undefined {
    const rows = this.rowsIfAny(operation)
    if (rows === undefined) return undefined
    const further = operation === 'list' ? also : (['list', ...also] as const)
    const left = further.flatMap((one) => this.left(one))
    return left.length === 0 ? rows : { op: 'and', of: [rows, ...left] }
  }

  /** Whether the caller may do `operation` with every record, as far as permissions say. */
  opensEvery(operation: Guarded): boolean {
    return this.#verdict(operation).kind === 'all'
  }

  /** Whether the caller may list every record, and read all of these fields in each. */
  listsAll(names: Iterable<string>): boolean {
    if (!this.opensEvery('list') || this.left('list').length > 0) return false
    return [...names].every((name) => this.readable(name) !== undefined)
  }

  /** The rows that blocks leave to `operation`, whatever permissions say. */
  left(operation: Restricted): readonly Condition[] {
    return restrictionsOf(this.resource, operation, this.caller).map(({ rows }) => rows)
  }

  /** Columns that have to be read before `assertRecord` can decide; throws where no record could pass. */
  deciding(operation: Guarded): readonly Column[] {
    const verdict = this.#open(operation)
    return verdict.kind === 'some' ? verdict.reads : NO_COLUMNS
  }

  /** The same, or undefined where no record could pass. */
  decidingIfAny(operation: Guarded): readonly Column[] | undefined {
    return this.#verdict(operation).kind === 'none' ? undefined : this.deciding(operation)
  }

  /** The related records that have to be read before `assertRecord` and `mayTouch` can decide. */
  reaching(operation: Guarded): Reach {
    const verdict = this.#verdict(operation)
    return verdict.kind === 'some' ? verdict.reach : NO_REACH
  }

  /** Throws where no record at all could pass `operation`; `what` is what the caller asked for. */
  assert(operation: Guarded, what?: string): void {
    this.#open(operation, what)
  }

  /**
   * Lets `operation` touch `record`, or throws; `what` is what the caller asked for. An owner's permission never covers
   * a create: there is no owner yet. `neighbours` are what `reaching` asks for.
   */
  assertRecord(operation: Guarded, record: Row, what?: string, neighbours?: Neighbours): void {
    if (!passes(this.#open(operation, what), record, neighbours)) throw this.#refusal(operation, what, record)
  }

  /** Whether `operation` may touch `record`; `neighbours` are what `reaching` asks for. */
  mayTouch(operation: Guarded, record: Row, neighbours?: Neighbours): boolean {
    return passes(this.#verdict(operation), record, neighbours)
  }

  /** What else permissions are judged by, for `op`. */
  judging(op: string): Judging {
    const { caller, resource } = this
    const ownerField = op === 'create' ? undefined : resource.ownerField
    return { caller, fields: resource.fields, ownerField, op, now: this.now }
  }

  #restricted(operation: 'list' | 'get' | 'update', verdict: OpenVerdict): Condition {
    const rows = rowsOf(verdict)
    const left = this.left(operation)
    return left.length === 0 ? rows : { op: 'and', of: [rows, ...left] }
  }

  #owns(record: Row): boolean {
    const { ownerField } = this.resource
    return ownerField !== undefined && this.caller.id !== null && record[ownerField.name] === this.caller.id
  }

  #open(operation: Guarded, what?: string): OpenVerdict {
    const verdict = this.#verdict(operation)
    if (verdict.kind !== 'none') return verdict
    throw verdict.anonymous ? errors.UNAUTHORIZED() : this.#refusal(operation, what)
  }

  #refusal(operation: Guarded, what = `The operation '${operation}'`, record?: Row): AppError {
    return refusal(this.resource, what, ruleOf(this.resource, operation, record))
  }

  #verdict(operation: Guarded): Verdict {
    const known = this.#verdicts.get(operation)
    if (known) return known
    const verdict = judgeOperation(this.resource, operation, this.judging(operation))
    this.#verdicts.set(operation, verdict)
    return verdict
  }
}

/** A resource is forgotten with its model, and a caller with its token. */
const remembered = new WeakMap<Resource, WeakMap<Caller, Access>>()

type OpenVerdict = Exclude<Verdict, { kind: 'none' }>

const rowsOf = (verdict: OpenVerdict): Condition => (verdict.kind === 'some' ? verdict.rows() : EVERY_ROW)

const NO_COLUMNS: readonly Column[] = []
const EVERY_ROW: Condition = Object.freeze({ op: 'always' })
