import type { Condition, Row, Store } from '@svc/store/contract'
import type { Switch, Switched, Switches } from './switch.ts'
import { SWITCH, switchesTable as table } from './table.ts'

/** What an entry was switched to, as long as the definition says `declared` of it. */
type Held = Pick<Switched, 'declared'> & { readonly enabled: boolean }

/** The switches, and how they keep up with those of other servers. */
export interface HeldSwitches extends Switches {
  /** Reads them from the store: what another server has switched is known then. */
  look(): Promise<void>
}

/** Makes the table of switches where it is not there yet, and reads it. */
export async function createSwitches(store: Store): Promise<HeldSwitches> {
  await store.ensure([table])
  const listeners = new Set<() => void>()
  let held: ReadonlyMap<string, Held> = new Map()
  let written = 0

  const keep = (next: ReadonlyMap<string, Held>): void => {
    const isSame = next.size === held.size && [...next].every(([key, one]) => isEqual(one, held.get(key)))
    if (isSame) return
    held = next
    for (const listener of listeners) listener()
  }
  const look = async (): Promise<void> => {
    const before = written
    const rows = await store.select({ table, columns: table.columns, where: { op: 'always' }, order: [] })
    // What this server has switched meanwhile is newer than what was read.
    if (before === written) keep(new Map(rows.map(heldIn)))
  }
  await look()

  return {
    look,
    of({ declared, ...where }) {
      const key = keyOf(where)
      const holding = (): Held | undefined => {
        const one = held.size === 0 ? undefined : held.get(key)
        return one?.declared === declared ? one : undefined
      }
      return switchBy(holding, declared)
    },
    async set(switched, enabled) {
      const { domain, key, name, declared } = switched
      const where = rowOf(switched)
      await store.transaction(async (transaction) => {
        if (enabled === null) return void (await transaction.remove({ table, where }))
        const values = { domain, key, name, enabled, declared }
        const made = await transaction.insert({ table, values, onConflict: 'ignore' })
        if (made === 0) await transaction.update({ table, set: { enabled, declared }, where })
      })
      written += 1
      const next = new Map(held)
      if (enabled === null) next.delete(keyOf(switched))
      else next.set(keyOf(switched), { enabled, declared })
      keep(next)
    },
    async settle(entries) {
      const outdated = entries.filter((one) => {
        const { declared } = held.get(keyOf(one)) ?? one
        return declared !== one.declared
      })
      if (outdated.length === 0) return
      // Another server may have switched one of them again by what the definition says now.
      const of = outdated.map((one): Condition => ({
        op: 'and',
        of: [rowOf(one), { op: 'eq', column: SWITCH.declared, value: !one.declared }],
      }))
      await store.transaction((transaction) => transaction.remove({ table, where: { op: 'or', of } }))
      await look()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const switchBy = (holding: () => Held | undefined, declared: boolean): Switch => ({
  get enabled() {
    return holding()?.enabled ?? declared
  },
  get overridden() {
    return holding() !== undefined
  },
})

type Placed = Pick<Switched, 'domain' | 'key' | 'name'>

const keyOf = ({ domain, key, name }: Placed): string => `${domain} ${key} ${name}`

const rowOf = (one: Placed): Condition => ({
  op: 'and',
  of: (['domain', 'key', 'name'] as const).map((name) => ({
    op: 'eq',
    column: SWITCH[name],
    value: one[name],
  })),
})

const heldIn = (row: Row): readonly [string, Held] => [
  [row['domain'], row['key'], row['name']].join(' '),
  { enabled: row['enabled'] === true, declared: row['declared'] === true },
]

const isEqual = (one: Held, other: Held | undefined): boolean =>
  other !== undefined && one.enabled === other.enabled && one.declared === other.declared
