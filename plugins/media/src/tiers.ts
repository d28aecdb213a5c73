import type { ActionAccess, Caller } from '@svc/kernel'
import { z } from 'zod'

/** Who may do what in a library. */
export const TIERS = ['browse', 'upload', 'manage'] as const
export type Tier = (typeof TIERS)[number]
export type Tiers = Readonly<Record<Tier, readonly string[]>>

const MEANING: Readonly<Record<Tier, string>> = {
  browse: 'Who may list and read items',
  upload: 'Who may add items',
  manage: 'Who may delete items, and list those that nothing refers to',
}

const error = "must be the name of a role, 'authenticated', 'owner' or '*', or a list of those"

/** Names of roles may have dots; one that stands alone has none, since it looks like an expression then. */
const Listed = z.string().regex(/^(?:\*|[A-Za-z_][A-Za-z0-9._-]*)$/, { error })
const Alone = z.string().regex(/^(?:\*|[A-Za-z_][A-Za-z0-9_-]*)$/, { error })
const Names = z.union([Alone.transform((name) => [name]), z.array(Listed)], { error })

/** What is written of the tiers: names of roles, or one of them. */
export const WrittenTiers = z.strictObject({
  browse: Names.optional().describe(MEANING.browse),
  upload: Names.optional().describe(MEANING.upload),
  manage: Names.optional().describe(MEANING.manage),
})
export type WrittenTiers = z.output<typeof WrittenTiers>

const AUTHENTICATED: readonly string[] = ['authenticated']

/** What is written, and where nothing is what `otherwise` says. */
export const tiersOf = (written: WrittenTiers = {}, otherwise: WrittenTiers = {}): Tiers => ({
  browse: written.browse ?? otherwise.browse ?? AUTHENTICATED,
  upload: written.upload ?? otherwise.upload ?? AUTHENTICATED,
  manage: written.manage ?? otherwise.manage ?? AUTHENTICATED,
})

/** What the pipeline can decide before there is an item. */
export function accessOf(names: readonly string[]): ActionAccess {
  if (names.includes('*')) return ['*']
  return names.includes('owner') ? 'record' : names
}

/** Which items a tier opens to a caller. */
export type Opened = 'all' | 'own' | 'none'

export function openedTo({ kind, id, roles }: Caller, names: readonly string[]): Opened {
  if (kind === 'system' || names.includes('*')) return 'all'
  if (kind === 'anonymous') return 'none'
  if (names.some((name) => name === 'authenticated' || roles.includes(name))) return 'all'
  return names.includes('owner') && id !== null ? 'own' : 'none'
}

/** Whether a tier opens an item to a caller. */
export function opens(names: readonly string[], caller: Caller, item: { readonly createdBy: string | null }) {
  const opened = openedTo(caller, names)
  return opened === 'all' || (opened === 'own' && item.createdBy === caller.id)
}
