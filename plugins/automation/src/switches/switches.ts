import type { Condition, Row, Store } from '@svc/store/contract'
import type { Switch, Switched, Switches } from './switch.ts'
import { SWITCH, switchesTable as table } from './table.ts'

/** What an entry was switched to while the definition said `declared` of it. */
type Held = Pick<Switched, 'declared'> & {
  readonly enabled: boolean
  /** The definition has changed since: this is what it says now, for servers that have an earlier one still. */
  readonly isOver: boolean
  /** When it was switched, in milliseconds since 1970. */
  readonly at: number | undefined
}

/** The switches, and how they keep up with those of other servers. */
export interface HeldSwitches extends Switches {
  /** Reads them from the store: what another server has switched is known then. */
  look(): Promise<void>
}

/** Makes the table of switches where it is not there yet, and reads it. */
export async function createSwitches(store: Store, now: () => number): Promise<HeldSwitches> {
  await store.ensure([table])
  const listeners = new Set<() => void>()
  // The switches of models that are in force, or were.
  const settled = new WeakSet<Switch>()
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

  /** What the definition says now of entries that were switched takes the place of their switches. */
  const end = async (outdated: readonly Switched[]): Promise<void> => {
    await store.transaction(async (transaction) => {
      for (const one of outdated) {
        const { declared } = one
        // Another server may have switched it again by what the definition says now.
        const where: Condition = {
          op: 'and',
          of: [rowOf(one), { op: 'eq', column: SWITCH.declared, value: !declared }],
        }
        await transaction.update({ table, set: { enabled: declared, declared, over: true }, where })
      }
    })
    await look()
  }

  return {
    look,
    of({ declared, ...where }) {
      const key = keyOf(where)
      const made = switchBy(
        () => (held.size === 0 ? undefined : held.get(key)),
        declared,
        () => settled.has(made),
      )
      return made
    },
    async set(switched, enabled) {
      const { domain, key, name, declared } = switched
      const where = rowOf(switched)
      const at = now()
      await store.transaction(async (transaction) => {
        if (enabled === null) return void (await transaction.remove({ table, where }))
        const set = { enabled, declared, over: false, at: new Date(at).toISOString() }
        const values = { domain, key, name, ...set }
        const made = await transaction.insert({ table, values, onConflict: 'ignore' })
        if (made === 0) await transaction.update({ table, set, where })
      })
      written += 1
      const next = new Map(held)
      if (enabled === null) next.delete(keyOf(switched))
      else next.set(keyOf(switched), { enabled, declared, isOver: false, at })
      keep(next)
    },
    async settle(entries) {
      const outdated = entries.filter((one) => {
        const known = held.get(keyOf(one))
        return known !== undefined && known.declared !== one.declared
      })
      if (outdated.length > 0) await end(outdated)
      for (const one of entries) settled.add(one.switch)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/**
 * A switch by what is known of its entry. A model that is in force while another server has a later one goes by what that
 * one says; a model that is only about to be in force is the later one itself.
 */
function switchBy(known: () => Held | undefined, declared: boolean, isInForce: () => boolean): Switch {
  const isCounting = (one: Held | undefined): boolean => one?.declared === declared && !one.isOver
  return {
    get enabled() {
      const one = known()
      if (one === undefined) return declared
      if (one.isOver) return isInForce() ? one.enabled : declared
      return one.declared === declared ? one.enabled : declared
    },
    get overridden() {
      return isCounting(known())
    },
    get at() {
      const one = known()
      return isCounting(one) ? one?.at : undefined
    },
  }
}

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
  {
    enabled: row['enabled'] === true,
    declared: row['declared'] === true,
    isOver: row['over'] === true,
    at: typeof row['at'] === 'string' ? Date.parse(row['at']) : undefined,
  },
]

const isEqual = (one: Held, other: Held | undefined): boolean =>
  other !== undefined &&
  one.enabled === other.enabled &&
  one.declared === other.declared &&
  one.isOver === other.isOver &&
  one.at === other.at
