import type { Resource } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import { type Carrying, PORTION } from './carrying.ts'
import { removeLines, renameLines } from './holdings.ts'
import { erasedValues, erasureOf, forgetFollowed, nothingLeft, recordKey } from './ledgers.ts'
import type { PlannedChange } from './plan.ts'

/** Carries out what was planned, behind the one way in, inside the transaction of the erase: by statements for many records. */
export async function carryOut(changes: readonly PlannedChange[], carrying: Carrying): Promise<void> {
  for (const set of setsOf(changes)) await CARRIED[set.action](set, carrying)
}

/** Changes of one kind to records of one resource, whose values have the same fields. */
interface ChangeSet extends Pick<PlannedChange, 'resource' | 'action'> {
  readonly changes: readonly PlannedChange[]
}

/** Changes that follow each other are seen to together, as far as none has to wait for another. */
function* setsOf(changes: readonly PlannedChange[]): Iterable<ChangeSet> {
  let alike = new Map<string, PlannedChange[]>()
  let last: PlannedChange | undefined
  for (const change of changes) {
    if (last !== undefined && (last.resource !== change.resource || last.action !== change.action)) {
      yield* portionsOf(alike.values())
      alike = new Map()
    }
    last = change
    const fields = Object.keys(change.values).toSorted().join()
    const some = alike.get(fields)
    if (some === undefined) alike.set(fields, [change])
    else some.push(change)
  }
  yield* portionsOf(alike.values())
}

function* portionsOf(sets: Iterable<readonly PlannedChange[]>): Iterable<ChangeSet> {
  for (const changes of sets) {
    const { resource, action } = changes[0]!
    const size = action === 'delete' && refersToItself(resource) ? 1 : PORTION
    for (let at = 0; at < changes.length; at += size)
      yield { resource, action, changes: changes.slice(at, at + size) }
  }
}

/** Its records go one by one, in the order of the plan: what refers to another one goes before it. */
const refersToItself = ({ name, relationships }: Resource): boolean =>
  [...relationships.values()].some(({ target }) => target.kind === 'resource' && target.name === name)

type Carry = (set: ChangeSet, carrying: Carrying) => Promise<void>

/** Stores the values; answers the records as they are then. */
async function storeValues({ resource, changes }: ChangeSet, carrying: Carrying): Promise<readonly Row[]> {
  const { data, writes } = carrying
  const stored = changes.map(({ row, values }) => ({ record: row, values }))
  const { records, followed } = await data.store(resource, stored, writes)
  await forgetFollowed(followed, carrying)
  return records
}

const replaceValues: Carry = async (set, carrying) => {
  const { resource, changes } = set
  const { data, writes, setting } = carrying
  const after = await storeValues(set, carrying)
  const records = changes.map((change, at) => erasedValues(change, after[at] ?? {}, carrying))
  await data.redact(erasureOf(resource, records, carrying), carrying.retained, writes)
  const keys = changes.map(({ row }) => recordKey(resource, row))
  const fields = Object.keys(changes[0]?.values ?? {})
  const places = { resource: resource.name, keys, fields }
  await setting.media?.release(data.model.name, places, writes, carrying.call)
  await renameLines(set, fields, carrying)
}

const CARRIED: Readonly<Record<PlannedChange['action'], Carry>> = {
  anonymize: replaceValues,
  pseudonymize: replaceValues,
  async nullify(set, carrying) {
    await storeValues(set, carrying)
  },
  async delete({ resource, changes }, carrying) {
    const { data, writes, setting } = carrying
    const keys = changes.map(({ row }) => recordKey(resource, row))
    // Who keeps something beside a record meanwhile holds the record.
    const { table, key } = resource
    const where = { op: 'in', column: key.column!, values: keys } as const
    await writes.select({ table, columns: [key.column!], where, order: [], lock: true })
    await data.redact(nothingLeft(resource, keys, carrying), carrying.retained, writes)
    await setting.media?.release(data.model.name, { resource: resource.name, keys }, writes, carrying.call)
    await forgetFollowed(await data.remove(resource, keys, writes), carrying)
    await removeLines(resource, keys.map(String), carrying)
  },
}
