import type { Transaction } from '@svc/store/contract'
import type { CrossPlan } from '../crossing/plan.ts'
import { ofFormulas, ofValues, takeTurn } from '../crossing/turn.ts'
import type { Resource } from '../model/resource.ts'
import type { Change } from './change.ts'
import { type Dependents, goesAlong } from './dependents.ts'

/** Whose turns they are, and in which transaction they are taken. */
export interface Turning {
  readonly domain: string
  readonly plan: CrossPlan
  readonly transaction: Transaction
}

/** Takes what several changes need: before these hold anything. */
export async function takeTurns(
  changes: readonly Change[],
  dependents: ReadonlyMap<string, Dependents>,
  turning: Turning,
): Promise<void> {
  const { plan } = turning
  const written = writtenBy(changes, dependents)
  if (![...written].some((one) => plan.spreads(one) || plan.looks(one))) return
  const isGiving = changes.some((change) => plan.looks(change.resource) && mayGiveFormula(change))
  await takeTurnsOf(written, turning, isGiving)
}

/**
 * Takes what writes of records of some resources need; `isGiving`: they may give records formulas of their own. Held are all that
 * is looked into near these resources: against all others by writes of what is looked into, else together.
 */
export async function takeTurnsOf(
  written: ReadonlySet<Resource>,
  { domain, plan, transaction }: Turning,
  isGiving = false,
): Promise<void> {
  if (plan.isOpen) await takeTurn({ names: [ofFormulas(domain)], lock: isGiving || 'shared' }, transaction)
  const graph = plan.isOpen ? await plan.graph(transaction) : plan.declared
  const all = [...written]
  const near = new Set(all.flatMap(({ name }) => [...graph.readNear(name)]))
  const isRead = all.some((one) => plan.isRead(one) || (plan.isOpen && graph.isRead(one.name)))
  const names = [...near].map((name) => ofValues(domain, name))
  await takeTurn({ names, lock: isRead || 'shared' }, transaction)
}

/** The resources whose records are written: those of the changes, and of what goes along with a record that goes or comes back. */
function writtenBy(
  changes: readonly Change[],
  dependents: ReadonlyMap<string, Dependents>,
): ReadonlySet<Resource> {
  const found = new Set(changes.map(({ resource }) => resource))
  if (!changes.some(({ kind }) => kind === 'delete' || kind === 'restore')) return found
  // A set that grows goes on over what is added to it.
  for (const parent of found)
    for (const child of dependents.get(parent.name)?.children ?? [])
      if (child.onDelete === 'nullify' || (child.onDelete === 'cascade' && goesAlong(child, parent)))
        found.add(child.resource)
  return found
}

/** What takes an earlier state back may bring any formula. */
const KNOWN: ReadonlySet<string> = new Set(['create', 'update', 'put', 'transition', 'delete', 'restore'])

const mayGiveFormula = ({ kind, resource: { overrides }, values }: Change): boolean =>
  overrides.length > 0 && (!KNOWN.has(kind) || overrides.some(({ name }) => (values[name] ?? null) !== null))
