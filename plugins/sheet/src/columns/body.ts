import {
  type Fault,
  type FieldDefinition,
  malformed,
  type Sheet,
  type SheetColumn,
} from '@svc/domain/contract'
import type { WantedChange } from '@svc/domain/contract'
import { type Call, errors } from '@svc/kernel'
import { z } from 'zod'
import type { Rules } from './rules.ts'
import { isColumnType } from './column-type.ts'

/** The longest label and description, in characters. */
const LONGEST = { label: 200, description: 2000, enum: 1000 } as const

const facts = {
  label: z.string().max(LONGEST.label).nullable(),
  description: z.string().max(LONGEST.description).nullable(),
  default: z.json(),
}

/** What each key of a body may hold. */
const ADDITION = {
  name: z.string(),
  type: z.string(),
  ...facts,
  enum: z.array(z.string()).min(1).max(LONGEST.enum),
  min: z.union([z.number(), z.string()]),
  max: z.union([z.number(), z.string()]),
  minLength: z.int().min(0),
  maxLength: z.int().min(1),
  items: z.union([z.string(), z.record(z.string(), z.json())]),
  expression: z.string(),
} as const

const CHANGE = { name: ADDITION.name, ...facts } as const

interface Around {
  readonly sheet: Sheet
  readonly call: Call
}

/** What a body adds. Throws VALIDATION_ERROR. */
export function readAddition(
  body: unknown,
  { sheet, call, rules }: Around & { readonly rules: Rules },
): WantedChange {
  const faults: Fault[] = []
  const entries = entriesOf(body)
  for (const [key, value] of entries) {
    check(key, value, ADDITION, 'unknown', faults)
  }
  const given = new Map(entries)
  for (const key of ['name', 'type'])
    if ((given.get(key) ?? null) === null)
      faults.push({ field: key, rule: 'required', message: `'${key}' is required` })
  refuse(faults, { sheet, call })
  const {
    name,
    type: typeName,
    expression = null,
    ...rest
  } = Object.fromEntries(given) as Readonly<Record<string, unknown>>
  const type = sheet.fieldType(String(typeName))
  if (type === undefined || !isColumnType(type.name) || rules.allowTypes?.has(type.name) === false)
    faults.push({
      field: 'type',
      rule: 'enum',
      message: `No column can be of the type '${String(typeName).slice(0, 60)}' here`,
    })
  if (holdsBarred(rest['items'], sheet))
    faults.push({ field: 'items', rule: 'enum', message: 'The items of a column cannot be of this type' })
  if (expression !== null) faults.push(...withoutDefault(rest))
  if (sheet.columns.length >= rules.maxColumns)
    faults.push({
      field: 'name',
      rule: 'maxColumns',
      message: `There are ${rules.maxColumns} columns already, which is the most`,
    })
  refuse(faults, { sheet, call })
  const computed = expression === null ? null : { expression, stored: true }
  return {
    change: 'add',
    name: String(name),
    definition: definitionOf({ type: type!.name, ...rest, computed }),
  }
}

/** What a body changes; undefined where nothing. Throws VALIDATION_ERROR. */
export function readChange(body: unknown, column: SheetColumn, around: Around): WantedChange | undefined {
  const faults: Fault[] = []
  const entries = entriesOf(body)
  for (const [key, value] of entries)
    check(key, value, CHANGE, key in ADDITION ? 'immutable' : 'unknown', faults)
  const { name = column.name, ...rest } = Object.fromEntries(entries) as Readonly<Record<string, unknown>>
  if (column.definition.computed !== undefined) faults.push(...withoutDefault(rest))
  if (name === null) faults.push({ field: 'name', rule: 'required', message: "'name' is required" })
  refuse(faults, around)
  const definition = definitionOf({ ...column.definition, ...rest })
  if (name === column.name && JSON.stringify(definition) === JSON.stringify(definitionOf(column.definition)))
    return undefined
  return { change: 'change', column, name: String(name), definition }
}

/** What is worked out has no default. */
const withoutDefault = ({ default: value = null }: Readonly<Record<string, unknown>>): readonly Fault[] =>
  value === null
    ? []
    : [{ field: 'default', rule: 'expression', message: 'A column with an expression has no default' }]

function entriesOf(body: unknown): readonly (readonly [string, unknown])[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw errors.VALIDATION_ERROR({
      errors: [{ field: '', rule: 'type', message: 'The body must be a JSON object' }],
    })
  return Object.entries(body)
}

function check(
  key: string,
  value: unknown,
  known: Readonly<Record<string, z.ZodType>>,
  otherwise: 'unknown' | 'immutable',
  faults: Fault[],
): void {
  const schema = Object.hasOwn(known, key) ? known[key] : undefined
  const field = key.slice(0, 63)
  if (schema === undefined) {
    const message =
      otherwise === 'immutable' ? `'${field}' stays as it was added` : `'${field}' is not known here`
    faults.push({ field, rule: otherwise, message })
    return
  }
  if (value === null) return
  const issue = schema.safeParse(value).error?.issues[0]
  if (issue === undefined) return
  const rule = issue.code === 'too_big' ? 'maxLength' : issue.code === 'too_small' ? 'minLength' : 'type'
  faults.push({ field, rule, message: `'${field}': ${issue.message}` })
}

/** Keys without a value say nothing, and labels are taken literally in every language. */
const definitionOf = (written: Readonly<Record<string, unknown>>): FieldDefinition =>
  Object.fromEntries(ORDER.flatMap((key) => ((written[key] ?? null) === null ? [] : [[key, written[key]]])))

const ORDER = [
  'type',
  'label',
  'description',
  'default',
  'enum',
  'min',
  'max',
  'minLength',
  'maxLength',
  'items',
  'computed',
]

/** Whether a list would hold, at any depth, what no column holds. */
function holdsBarred(items: unknown, sheet: Sheet): boolean {
  if (items === undefined || items === null) return false
  const inner: Readonly<Record<string, unknown>> =
    typeof items === 'string' ? { type: items } : (items as Readonly<Record<string, unknown>>)
  if (Object.keys(inner).some((key) => !ITEM_KEYS.has(key))) return true
  const type = sheet.fieldType(String(inner['type']))
  return (type !== undefined && !isColumnType(type.name)) || holdsBarred(inner['items'], sheet)
}

const ITEM_KEYS: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'min',
  'max',
  'minLength',
  'maxLength',
  'items',
])

function refuse(faults: readonly Fault[], { sheet: { resource }, call }: Around): void {
  if (faults.length === 0) return
  throw malformed({ resource, acceptLanguage: call.request?.meta('accept-language') }, faults)
}
