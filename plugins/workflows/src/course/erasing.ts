import type { Kept, Resource, Writes } from '@svc/domain/contract'
import type { Column, Condition, Row, Table, Transaction, Value } from '@svc/store/contract'
import { variablesIn } from '../graph/speech.ts'
import type { Workflow } from '../graph/step.ts'
import { INSTANCE } from '../tables/instances.ts'
import { STEP } from '../tables/steps.ts'
import type { Tables } from '../tables/tables.ts'
import { childrenOf, Course } from './course.ts'
import { isMap } from './results.ts'
import type { Line } from './rows.ts'
import type { Setting } from './setting.ts'

type Key = Exclude<Value, null>

/** What stands in place of a message that was made of erased values. */
const ERASED = '[erased]'

/** Where instances keep values of the records of a resource: those that are about them, and steps that met them. */
export const keptOf = ({ name }: Resource, { instances, steps }: Tables): readonly Kept[] => [
  {
    table: instances,
    recordId: INSTANCE.recordId,
    values: [INSTANCE.record, INSTANCE.last, INSTANCE.input],
    where: { op: 'eq', column: INSTANCE.resource, value: name },
    erased: { record: null, last: null, input: null },
  },
  {
    table: steps,
    recordId: STEP.recordId,
    values: [STEP.result, STEP.event],
    where: { op: 'eq', column: STEP.resource, value: name },
    erased: { result: null, event: null },
  },
]

/**
 * Erases what else instances keep of records, in the transaction that erases these. Those that are about one of them lose
 * everything that they have met, since it may be made of that; others lose what they kept of these records. They go on with
 * what is left, and meet records as they are.
 */
export async function eraseRecords(
  setting: Setting,
  resource: Resource,
  keys: readonly Key[],
  writes: Writes,
): Promise<void> {
  const { instances, steps } = setting.tables
  const about = { resource: resource.name, recordIds: keys.map(String) }
  const own = await idsOf(instances, INSTANCE, INSTANCE.id, about, writes)
  const met = await idsOf(steps, STEP, STEP.instance, about, writes)
  const erased = new Set(about.recordIds)
  const isOne: IsErased = (of, record) =>
    of === about.resource && erased.has(String(record[resource.key.name] ?? ''))
  for (const id of own) await eraseIn(setting, writes, id, () => true, allLists)
  for (const id of met) if (!own.has(id)) await eraseIn(setting, writes, id, isOne, listsOf)
}

async function idsOf(
  table: Table,
  columns: Pick<typeof STEP, 'resource' | 'recordId'>,
  id: Column,
  { resource, recordIds }: { readonly resource: string; readonly recordIds: readonly string[] },
  transaction: Transaction,
): Promise<ReadonlySet<string>> {
  const of: Condition[] = [
    { op: 'in', column: columns.recordId, values: recordIds },
    { op: 'eq', column: columns.resource, value: resource },
  ]
  const rows = await transaction.select({ table, columns: [id], where: { op: 'and', of }, order: [] })
  return new Set(rows.map((row) => String(row[id.name])))
}

/** Whether a record that is kept is one that is erased. */
type IsErased = (of: string, record: Row) => boolean
/** The lists whose items are erased, where these steps have lost something. */
type ListsOf = (workflow: Workflow, lost: ReadonlySet<string>) => ReadonlySet<string>

async function eraseIn(
  setting: Setting,
  transaction: Transaction,
  id: string,
  isErased: IsErased,
  erasedLists: ListsOf,
): Promise<void> {
  const course = await Course.hold(setting, transaction, id)
  if (course === undefined) return
  const lists = erasedLists(course.workflow, await eraseSteps(course, isErased))
  await eraseItems(course, lists)
  for (const line of await course.lines({ op: 'always' })) await eraseLine(course, line, isErased, lists)
  course.change({ error: withoutMessages(course.instance.error) })
  await course.save()
}

/** Erases what steps keep; answers the names of those that have lost something. */
async function eraseSteps(course: Course, isErased: IsErased): Promise<ReadonlySet<string>> {
  const { setting, transaction, instance } = course
  const { steps: table } = setting.tables
  const where: Condition = { op: 'eq', column: STEP.instance, value: instance.id }
  const rows = await transaction.select({ table, columns: table.columns, where, order: [] })
  const lost = new Set<string>()
  for (const row of rows) {
    const { place, name, result = null, event = null, error = null, recordId } = setting.rows.step(row)
    const left = { result: leftOf(result, isErased), event: leftOfEvent(event, isErased) }
    // What the engine has erased of a step by its columns is gone by now.
    const isEmptied = recordId !== null && result === null && event === null
    const isChanged = left.result !== result || left.event !== event
    if (isEmptied || isChanged) lost.add(String(name))
    if (isChanged || error !== null)
      await course.settle(Number(place), { ...left, error: withoutMessages(error) })
  }
  return lost
}

/** Lists that may be made of what steps have lost: those that speak of it, and of an item of one of these. */
const listsOf: ListsOf = (workflow, lost) => {
  const lists = new Set<string>()
  const spoken = new Set(['event'])
  for (let before = -1; before < lists.size;) {
    before = lists.size
    for (const { step, list } of listsIn(workflow)) {
      const isMade = [...variablesIn(list)].some((name) => spoken.has(name))
      if (!isMade && !step.reads.some((name) => lost.has(name))) continue
      lists.add(step.name)
      spoken.add('item').add(workflow.itemNames.get(step.branch) ?? 'item')
    }
  }
  return lists
}

const allLists: ListsOf = (workflow) => new Set(listsIn(workflow).map(({ step }) => step.name))

const listsIn = ({ steps }: Workflow) =>
  [...steps.values()].flatMap((step) =>
    step.kind === 'forEach' && step.collection.of === 'list' ? [{ step, list: step.collection.list }] : [],
  )

async function eraseItems(course: Course, lists: ReadonlySet<string>): Promise<void> {
  const { setting, transaction, instance, workflow } = course
  const values = [...workflow.forEachAround].flatMap(([step, around]) => (lists.has(around) ? [step] : []))
  if (values.length === 0) return
  await transaction.update({
    table: setting.tables.steps,
    set: { item: null },
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: STEP.instance, value: instance.id },
        { op: 'in', column: STEP.name, values },
      ],
    },
  })
}

/** Items that are erased before their turn are passed over, as records are that are gone by then. */
async function eraseLine(
  course: Course,
  line: Line,
  isErased: IsErased,
  lists: ReadonlySet<string>,
): Promise<void> {
  const { items, parent } = line
  const around = line.place === null || parent === null ? undefined : await course.line(parent)
  const begun =
    Array.isArray(items) && lists.has(line.step) ? await course.lines(childrenOf(line)) : undefined
  await course.changeLine(line, {
    result: leftOf(line.result, isErased),
    event: leftOfEvent(line.event, isErased),
    ...(begun && { items: begun.map(() => null) }),
    ...(around && lists.has(around.step) && { item: null }),
  })
}

/** What is left of a result that is kept. */
function leftOf(kept: Value, isErased: IsErased): Value {
  if (!isMap(kept)) return kept
  const { of, record, items, branches } = kept
  if (typeof of === 'string' && isMap(record)) return isErased(of, record) ? null : kept
  if (Array.isArray(items)) {
    const left = items.map((one: Value) => leftOf(one, isErased))
    return left.every((one, at) => one === items[at]) ? kept : { items: left }
  }
  if (!isMap(branches)) return kept
  const left = Object.entries(branches).map(([name, one]) => [name, leftOf(one, isErased)] as const)
  return left.every(([name, one]) => one === branches[name]) ? kept : { branches: Object.fromEntries(left) }
}

function leftOfEvent(kept: Value, isErased: IsErased): Value {
  if (!isMap(kept)) return kept
  const { of, record } = kept
  return isMap(record) && isErased(String(of), record) ? null : kept
}

/** An error says what was wrong with values. */
function withoutMessages(error: Value): Value {
  if (!isMap(error)) return error
  const { handler } = error
  return {
    ...error,
    message: ERASED,
    ...(isMap(handler) && { handler: { ...handler, message: ERASED } }),
  }
}
