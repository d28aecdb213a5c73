import { setImmediate } from 'node:timers/promises'
import { errors, ignoredBy } from '@svc/kernel'
import type { Condition, Reader, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { actionAccess } from '../access/operation.ts'
import { equalityOf } from '../model/derived.ts'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { CHOOSING, planRows, reportUnknown } from '../query/plan.ts'
import { accessOf, bindRecord, notesOf, type Operation, type RecordInput, routesOf } from './operation.ts'
import { belongsTo, parentOf } from './parent.ts'

/** The most values that one answer holds; further ones are left out, and a warning says so. */
const MAX_VALUES = 10_000

const KNOWN: ReadonlySet<string> = new Set([...CHOOSING, 'field'])

/** Answers the values of one stored field in the records that a list would have, each once and in order. */
export const distinct: Operation = (around) => {
  const { resource, runtime } = around
  return {
    name: `${resource.actionPrefix}distinct`,
    summary: `List the values of one field of ${resource.plural}`,
    access: actionAccess(resource, 'list'),
    routes: [
      ...routesOf(resource, 'GET', '/distinct', ['list', 'distinct']),
      ...routesOf(resource, 'GET', '/distinct/:field', ['list', 'distinct']),
    ],
    bind: bindRecord,
    notes: notesOf(around, 'distinct'),
    async handle(input: RecordInput, call) {
      const { query = {} } = input
      const access = accessOf(around, call)
      const ignored = ignoredBy(call.request?.meta('prefer'), call.warn)
      reportUnknown(query, ignored, KNOWN)
      const where = planRows(query, access, ignored, {
        where: belongsTo(await parentOf(around, input, call)),
      })
      const name = input.path?.['field'] ?? query['field']
      const field = fieldOf(name, access)
      const asked = { resource, where, limit: MAX_VALUES + 1 }
      const find = field.column!.codec === undefined ? plainValues : sealedValues
      const values = await find(field, asked, runtime.store)
      if (values.length > MAX_VALUES) call.warn(incomplete())
      return { field: name, values: values.slice(0, MAX_VALUES) }
    },
  }
}

interface AskedValues {
  readonly resource: Resource
  readonly where: Condition
  readonly limit: number
}

async function plainValues(field: Field, { resource: { table }, where, limit }: AskedValues, store: Reader) {
  const column = field.column!
  const order = [{ column, descending: false }]
  const rows = await store.select({ table, columns: [column], distinct: true, where, order, limit })
  return rows.map((row) => row[column.name] ?? null)
}

/** One record stands for each value: only those are opened. */
async function sealedValues(field: Field, { resource, where, limit }: AskedValues, store: Reader) {
  const { table, key } = resource
  const by = { value: { op: 'column', column: equalityOf(field)!.column } } as const
  const measures = { key: { fn: 'min', scalar: { op: 'column', column: key.column! } } } as const
  const groups = await store.aggregate({ table, where, by, measures, limit })
  const keys = groups.map((group) => group['key'] ?? '')
  const values: Value[] = []
  for (let at = 0; at < keys.length; at += CHUNK) {
    const among: Condition = { op: 'in', column: key.column!, values: keys.slice(at, at + CHUNK) }
    const rows = await store.select({ table, columns: [field.column!], where: among, order: [] })
    values.push(...rows.map((row) => row[field.name] ?? null))
    await setImmediate()
  }
  return values.toSorted(byValue)
}

/** So many values are opened without others getting their turn. */
const CHUNK = 500

/** As stores sort: null first, texts by code point. */
function byValue(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return Number(a) - Number(b)
}

/** An unreadable field is refused in the words of an unknown one. */
function fieldOf(name: string | undefined, access: Access): Field {
  if (name === undefined || name === '')
    throw errors.INVALID_QUERY({ message: "Say which field: /distinct/<field> or 'field=<field>'" })
  const field = access.readable(name)
  if (field?.column !== undefined && (field.compiled.type.sortable || isFound(field))) return field
  throw errors.INVALID_QUERY({
    message: `'${name.slice(0, 100)}' is no stored field whose values can be listed`,
  })
}

const isFound = (field: Field): boolean =>
  field.column?.codec !== undefined && equalityOf(field) !== undefined

const incomplete = () => ({
  rule: 'incomplete',
  message: `There are more than ${MAX_VALUES} values; these are the first`,
  severity: 'warning' as const,
  regulation: null,
})
