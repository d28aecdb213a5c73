import type { Caller } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'

/** The account by which a run was set off. */
export interface Actor {
  readonly id: string
  readonly username: string
}

/** What sets a run off. */
export interface SetOff {
  /** As the log says it. */
  readonly triggeredBy: string
  /** Who did; null where it was nobody with an account. */
  readonly actor: Actor | null
}

/** The account of a caller; null where there is none behind them. */
const actorOf = ({ id, username }: Caller): Actor | null =>
  id === null || username === null ? null : { id, username }

/** Who has set off a run by hand, and how. */
export const setOffBy = (how: 'manual' | 'retry', caller: Caller): SetOff => ({
  triggeredBy: told(how, caller.username ?? 'system'),
  actor: actorOf(caller),
})

/** Whether it was the caller who has set a run off by hand. */
export const isByHandOf = ({ triggeredBy, actor }: Row, { id }: Caller): boolean =>
  id !== null && howOf(triggeredBy) === 'manual' && (actor as unknown as Actor | null)?.id === id

/** What a row says of who has set it off, by the name that the account has now. */
export const toldAnew = ({ triggeredBy, actor }: Row): Row => ({
  triggeredBy: told(howOf(triggeredBy), (actor as unknown as Actor).username),
})

const howOf = (triggeredBy: Value | undefined): string => String(triggeredBy).split(':', 1)[0]!

const told = (how: string, username: string): string => `${how}:${username}`
