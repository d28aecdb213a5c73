import type { Column, Value } from '@svc/store/contract'
import { didYouMean, withArticle } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import type { Definition } from '../definition/schema/definition.ts'
import type { FieldDefinition } from '../definition/schema/field.ts'
import type { Text } from '../definition/schema/text.ts'
import type { BindValue, Crossing, Expression, Reach } from '@svc/expression/contract'
import type { CompiledType, FieldContext, FieldPlace } from '../fields/field-type.ts'
import { FieldTypeError, type FieldTypes } from '../fields/index.ts'
import { sentenceOf } from '../speech/sentence.ts'
import { type DerivedColumn, derivedColumns } from './derived.ts'
import { type Enumeration, inlineEnumeration } from './enumeration.ts'
import type { Report } from './report.ts'

/** A formula in place of a client's value. */
export interface Computation {
  readonly expression: Expression
  /** Kept in a column and renewed by every write; otherwise worked out on every read. */
  readonly stored: boolean
  /** What the declared formula reads; `expression` of one that records may override counts as reading all that these may name. */
  readonly declared: ReadonlySet<string>
  /** Whether records may have a formula of their own. */
  readonly overridable: boolean
  /** The related records that it is worked out from, by itself and by way of other formulas. */
  readonly reach: Reach
  /** What the declared formula looks up in records of any resource, or makes of them, by itself. */
  readonly crossings: readonly Crossing[]
  /** The value for a store; undefined where SQL cannot say it. It is asked when the model is whole. */
  translated(): BindValue | undefined
}

/** A field of a resource, compiled. */
export interface Field {
  readonly name: string
  readonly label: Text | undefined
  readonly description: string | undefined
  readonly compiled: CompiledType
  /** Whether what was written was reported, and plain text stands in: nothing more is told of that. */
  readonly standsIn: boolean
  /** Where values are stored; undefined for a field that is worked out on every read. */
  readonly column: Column | undefined
  /** What is kept beside the values in columns that nobody is shown. */
  readonly derived: readonly DerivedColumn[]
  readonly primaryKey: boolean
  readonly required: boolean
  readonly unique: boolean
  readonly immutable: boolean
  /** Undefined where the field has no default; null is a default. */
  readonly default: Value | undefined
  readonly autoNow: 'create' | 'update' | 'always' | undefined
  readonly enumeration: Enumeration | undefined
  /** What its values are labelled by, or those of a list. */
  readonly labels: Enumeration | undefined
  /** For a slug: the field that it is made from. */
  readonly from: string | undefined
  readonly hidden: boolean
  readonly requestable: boolean
  readonly computed: Computation | undefined
  /** The former name, from which a migration moves the values. */
  readonly renamedFrom: string | undefined
  /** Whether users have added it, beside the definition. */
  readonly dynamic: boolean
  /** What ledgers call its values: its name, but for a column that users have added, which keeps this through renames. */
  readonly keptAs: string
  /** The computed field for which it holds a record's own formula. */
  readonly overrides: string | undefined
  readonly definition: FieldDefinition
}

/** A field that the service works out. */
export type ComputedField = Field & { readonly computed: Computation }

/** What building a field needs to know around it. */
export interface FieldSurroundings {
  readonly types: FieldTypes
  readonly enums: ReadonlyMap<string, Enumeration>
  readonly blocks: FieldContext['blocks']
  readonly report: Report
  /** The fields that an index covers besides those that are unique. */
  readonly indexed?: ReadonlySet<string>
  /** The definition that all of it stands in. */
  readonly domain?: Definition
  /** The resource whose fields they are; undefined inside of other fields. */
  readonly resource?: string
}

/** Compiles one field; a definition that makes no sense is reported and stands in as plain text. */
export function buildField(
  name: string,
  written: string | FieldDefinition,
  path: Path,
  around: FieldSurroundings,
  computed?: Computation,
): Field {
  const definition: FieldDefinition = typeof written === 'string' ? { type: written } : written
  const enumeration = enumerationOf(definition, path, around)
  const { domain, resource } = around
  const place = domain && resource !== undefined ? { domain, resource, field: name } : undefined
  const made = compileType(definition, enumeration, path, around, place)
  const compiled = made ?? compileType({ type: 'string' }, undefined, path, around)!
  const column = computed?.stored === false ? undefined : columnFor(name, compiled, definition, around)
  const field: Field = {
    name,
    label: definition.label,
    description: definition.description,
    compiled,
    standsIn: made === undefined,
    column,
    derived: column ? derivedColumns(name, compiled) : [],
    primaryKey: definition.primaryKey ?? false,
    required: definition.required ?? false,
    unique: definition.unique ?? false,
    immutable: definition.immutable ?? false,
    default: definition.default,
    autoNow: definition.autoNow,
    enumeration,
    labels: enumeration ?? itemsEnumeration(definition, around),
    from: typeof definition['from'] === 'string' ? definition['from'] : undefined,
    hidden: definition.hidden ?? false,
    requestable: definition.requestable ?? false,
    computed,
    renamedFrom: definition.renamedFrom,
    dynamic: definition['dynamic'] === true,
    overrides: typeof definition['overrides'] === 'string' ? definition['overrides'] : undefined,
    keptAs: typeof definition['keptAs'] === 'string' ? definition['keptAs'] : name,
    definition,
  }
  return Object.freeze({ ...field, default: made && checkedDefault(field, path, around.report) })
}

/** Texts up to this length stand in an index as they are. */
const SHORT = 64

function columnFor(
  name: string,
  { type, codec }: CompiledType,
  { primaryKey = false, unique = false, enum: values, maxLength = Infinity }: FieldDefinition,
  { indexed }: FieldSurroundings,
): Column {
  const isIndexed = unique || indexed?.has(name) === true
  // What a path can carry is short, and so is what refers to it.
  const isLong =
    codec === undefined && type.column === 'text' && isIndexed && !primaryKey && values === undefined
  return Object.freeze({
    name,
    kind: type.column,
    nullable: !primaryKey,
    ...(codec && { codec }),
    ...(isLong && maxLength > SHORT && { long: true as const }),
  })
}

/** The type of a field; undefined where it was reported as wrong. */
function compileType(
  definition: FieldDefinition,
  enumeration: Enumeration | undefined,
  path: Path,
  around: FieldSurroundings,
  place?: FieldPlace,
): CompiledType | undefined {
  const { types, report, blocks } = around
  const allowed = enumeration?.names
  const typeName = definition.type ?? 'string'
  if (definition.type === undefined) {
    report.problem(path, 'a field needs a type', "Write it as 'type: string'")
  }
  const type = types.find(typeName)
  if (type === undefined) {
    report.problem([...path, 'type'], `there is no field type '${typeName}'`, types.advice(typeName))
    return undefined
  }
  for (const name of types.unused(type, definition)) {
    report.warning([...path, name], `'${name}' means nothing for ${withArticle(type.name)}: it is ignored`)
  }
  try {
    return types.compile(type, definition, { allowed, blocks, enums: around.enums, place })
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error
    for (const one of error.all) report.problem([...path, ...one.path], one.message, one.hint)
    return undefined
  }
}

function enumerationOf(
  { enum: written }: FieldDefinition,
  path: Path,
  { enums, report }: FieldSurroundings,
): Enumeration | undefined {
  if (written === undefined) return undefined
  if (typeof written !== 'string') return inlineEnumeration(written)
  const found = enums.get(written)
  if (found === undefined) {
    report.problem(
      [...path, 'enum'],
      `there is no enumeration '${written}'`,
      didYouMean(written, enums.keys()),
    )
  }
  return found
}

/** The enumeration of the items of a list. */
function itemsEnumeration(
  { items }: FieldDefinition,
  { enums }: Pick<FieldSurroundings, 'enums'>,
): Enumeration | undefined {
  const named: unknown = Object(items).enum
  return typeof named === 'string' ? enums.get(named) : undefined
}

/** The default in stored form: it is checked once, here, and never again. */
function checkedDefault(field: Field, path: Path, report: Report): Value | undefined {
  if (field.default === undefined || field.default === null) return field.default
  const checked = field.compiled.check(field.default)
  if ('value' in checked) {
    for (const { message } of checked.remarks ?? [])
      report.warning([...path, 'default'], `the default ${message}`)
    return checked.value
  }
  for (const fault of checked.faults)
    report.problem([...path, 'default'], `the default does not fit: ${sentenceOf(fault)}`)
  return undefined
}
