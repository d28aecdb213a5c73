import { Failure, logPassing } from '@svc/automation/contract'
import { passedOver, waysLeftTo } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Condition, Value } from '@svc/store/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { ForEachStep } from '../graph/step.ts'
import type { Course } from './course.ts'
import { hasKey, living } from './records.ts'

/** The most items of a forEach. */
export const MAX_ITEMS = 1000

/** The items of a collection: those of a list, or the keys of the records. Throws NOT_A_LIST and ITEM_LIMIT. */
export async function findItems(
  course: Course,
  { collection, name }: ForEachStep,
  context: EvaluationContext,
): Promise<readonly Value[]> {
  const items =
    collection.of === 'list'
      ? listIn(collection.list.evaluate(context), name)
      : await keysOf(course, collection, context)
  if (items.length > MAX_ITEMS) throw new Failure('ITEM_LIMIT', `'${name}' has more than ${MAX_ITEMS} items`)
  return items
}

function listIn(value: Value, name: string): readonly Value[] {
  if (value === null) return []
  if (Array.isArray(value)) return value
  throw new Failure('NOT_A_LIST', `The collection of '${name}' is no list`)
}

type OfRecords = Extract<ForEachStep['collection'], { readonly of: 'records' }>

async function keysOf(
  { transaction, setting, workflow }: Course,
  { resource, filter }: OfRecords,
  { variables }: EvaluationContext,
): Promise<readonly Value[]> {
  const { column } = resource.key
  if (column === undefined) return []
  const { env } = setting
  const asked = filter?.rows({
    user: SYSTEM,
    rowsOf: waysLeftTo('automate'),
    now: () => env.now(),
    ...(variables && { variables }),
  })
  const where: Condition = { op: 'and', of: [living(resource), ...(asked ? [asked] : [])] }
  const rows = await transaction.select({
    table: resource.table,
    columns: resource.columns,
    where,
    order: [{ column, descending: false }],
    limit: MAX_ITEMS + 1,
  })
  const passed = await passedOver(resource, rows, transaction)
  for (const [key, why] of passed)
    logPassing(setting.log, { by: { kind: 'workflow', name: workflow.name }, resource, key, why })
  return rows.map((row) => row[column.name] ?? null).filter((key) => !passed.has(key))
}

/** Whether the record of an item is there still; what is no record is. */
export async function isThere(
  { transaction }: Course,
  { collection }: ForEachStep,
  item: Value,
): Promise<boolean> {
  if (collection.of === 'list') return true
  const { resource } = collection
  const own = hasKey(resource, item)
  if (own === undefined) return false
  const where: Condition = { op: 'and', of: [own, living(resource)] }
  return (await transaction.count({ table: resource.table, where })) > 0
}
