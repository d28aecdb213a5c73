import { assertNotPassedOver } from '@svc/automation/contract'
import type { Resource, Writes } from '@svc/domain/contract'
import { children, type Node } from '@svc/expression/contract'
import { AppError, type Caller, errors } from '@svc/kernel'
import type { Condition, Row, Value } from '@svc/store/contract'
import { mayHold, type Shows } from '../mapping/mapping.ts'
import type { Finds } from '../mapping/finds.ts'
import { mappingFault } from '../wire/fault.ts'
import type { Write } from './write.ts'
import type { Applied, WriteContext, Written } from './writing.ts'

/** How many items one `forEach` has at most. */
const MOST_ITEMS = 1000

/** Does one write, for each item where it has some. */
export async function applyWrite(
  write: Write,
  context: WriteContext,
  finds: Finds,
  writes: Writes,
  as: Caller,
): Promise<Applied> {
  const all: Applied[] = []
  for (const one of await finds.work(context, (found) => contextsOf(write, found))) {
    const mapped = await finds.work(one, (found) =>
      write.when?.holds(found) === false ? undefined : write.mapping.evaluate(found),
    )
    if (mapped === undefined) continue
    checkRequired(write, mapped)
    const id = await writeOne(write, mapped, context, writes, as)
    all.push({ written: [{ resource: write.resource.name, ...id }], mapped })
  }
  return together(all)
}

export const together = (all: readonly Applied[]): Applied => ({
  written: all.flatMap(({ written }) => written),
  mapped: Object.assign({}, ...all.map(({ mapped }) => mapped)),
})

/** Looks for all that these writes look for; what is wrong with them is told when they are done. */
export async function prepareAll(
  writes: readonly Write[],
  context: WriteContext,
  finds: Finds,
): Promise<void> {
  await finds.work(context, (found) => {
    for (const { forEach, when, mapping } of writes) {
      const items = forEach?.evaluate(found) ?? [null]
      for (const item of Array.isArray(items) ? items.slice(0, MOST_ITEMS) : []) {
        const one = { ...found, variables: { ...found.variables, item } }
        if (when?.holds(one) !== false) mapping.evaluate(one)
      }
    }
  })
}

/** What a write would do. */
export function previewWrite(write: Write, context: WriteContext, shows?: Shows): readonly Row[] {
  const { resource, action, match, mapping, when, transition } = write
  const isTold = write.forEach?.expressions.every((one) => shows?.(one) ?? true) ?? true
  const each = isTold ? contextsOf(write, context) : [context]
  const told: Shows | undefined = isTold ? shows : (one) => !readsItem(one.ast) && (shows?.(one) ?? true)
  return each.flatMap((one) => {
    if (!mayHold(when, one, told)) return []
    const values = mapping.evaluate(one, told)
    checkRequired(write, values)
    return [
      {
        resource: resource.name,
        action,
        ...(transition !== undefined && { transition }),
        ...(match.length > 0 && { match: match.map(({ name }) => name) }),
        values: valuesOf(write, values),
      },
    ]
  })
}

const readsItem = (node: Node): boolean =>
  (node.kind === 'variable' && node.name === 'item') || children(node).some(readsItem)

function contextsOf({ forEach }: Write, context: WriteContext): readonly WriteContext[] {
  if (forEach === undefined) return [context]
  const items = forEach.evaluate(context)
  if (items === null) return []
  if (!Array.isArray(items)) throw mappingFault('forEach', 'it is no list')
  if (items.length > MOST_ITEMS)
    throw mappingFault('forEach', `it has ${items.length} items, and may have ${MOST_ITEMS}`)
  return items.map((item: Value) => ({ ...context, variables: { ...context.variables, item } }))
}

function checkRequired({ required }: Write, mapped: Row): void {
  for (const name of required)
    if ((mapped[name] ?? null) === null) throw mappingFault(name, `'${name}' is required, and is empty`)
}

const valuesOf = ({ skipsNull }: Write, mapped: Row): Row =>
  skipsNull ? Object.fromEntries(Object.entries(mapped).filter(([, value]) => value !== null)) : mapped

async function writeOne(
  write: Write,
  mapped: Row,
  context: WriteContext,
  writes: Writes,
  as: Caller,
): Promise<Omit<Written, 'resource'>> {
  const { resource, action, match, transition = '' } = write
  const values = valuesOf(write, mapped)
  if (action === 'create') return create(resource, values, writes, as)
  const found = match.length === 0 ? undefined : await findOne(write, mapped, writes)
  if (action === 'upsert' && found === undefined) {
    try {
      return await writes.savepoint(() => create(resource, values, writes, as))
    } catch (error) {
      // Somebody else was quicker.
      if (!(error instanceof AppError) || error.code !== 'DUPLICATE') throw error
      const other = await findOne(write, mapped, writes)
      if (other === undefined) throw error
      await assertNotPassedOver(resource, other, writes)
      return update(resource, other, values, writes, as)
    }
  }
  const key = match.length === 0 ? context.key : found
  if (key === undefined || key === null)
    throw errors.NOT_FOUND({ message: `No '${resource.name}' was found that is to be written` })
  await assertNotPassedOver(resource, key, writes)
  if (action === 'delete') {
    await writes.record({ kind: 'delete', resource, key, as })
    return { action, id: key }
  }
  if (action === 'transition') {
    const rest = withoutMatch(values, write)
    await writes.record({ kind: 'transition', resource, key, name: transition, values: rest, as })
    return { action, id: key }
  }
  return update(resource, key, withoutMatch(values, write), writes, as)
}

/** What a record was found by is not written into it again. */
const withoutMatch = (values: Row, { match }: Write): Row =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !match.some((field) => field.name === name)))

async function create(resource: Resource, values: Row, writes: Writes, as: Caller) {
  const record = await writes.record({ kind: 'create', resource, values, as })
  return { action: 'create', id: record?.[resource.key.name] ?? null }
}

async function update(resource: Resource, key: Value, values: Row, writes: Writes, as: Caller) {
  await writes.record({ kind: 'update', resource, key, values, as })
  return { action: 'update', id: key }
}

/** The key of the one record with these values. Throws CONFLICT where there are several. */
async function findOne({ resource, match }: Write, mapped: Row, writes: Writes): Promise<Value | undefined> {
  const { table, key, fields, features } = resource
  const deleted = features.softDelete ? fields.get('deletedAt')?.column : undefined
  const of: Condition[] = deleted ? [{ op: 'null', column: deleted }] : []
  for (const { name, column, compiled } of match) {
    const value = mapped[name] ?? null
    if (value === null) throw mappingFault(name, `'${name}' says which record is meant, and is empty`)
    const checked = compiled.check(value)
    // A value that no record can have.
    if (!('value' in checked) || column === undefined) return undefined
    of.push({ op: 'eq', column, value: checked.value as Exclude<Value, null> })
  }
  const columns = key.column ? [key.column] : []
  const rows = await writes.select({ table, columns, where: { op: 'and', of }, order: [], limit: 2 })
  if (rows.length > 1)
    throw errors.CONFLICT({
      message: `Several records of '${resource.name}' have these values: ${match.map(({ name }) => name).join(', ')}`,
    })
  return rows[0]?.[key.name]
}
