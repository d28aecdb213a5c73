import type { Caller } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import type { Run } from './run.ts'

/** The account by which a run was set off. */
export interface Actor {
  readonly id: string
  readonly username: string
}

/** The account of a caller; null where there is none behind them. */
const actorOf = ({ id, username }: Caller): Actor | null =>
  id === null || username === null ? null : { id, username }

/** Who has set off a run by hand, and how. */
export const setOffBy = (how: 'manual' | 'retry', caller: Caller): Pick<Run, 'triggeredBy' | 'actor'> => ({
  triggeredBy: told(how, caller.username ?? 'system'),
  actor: actorOf(caller),
})

/** What a row says of who has set it off, by the name that the account has now. */
export const toldAnew = ({ triggeredBy, actor }: Row): Row => ({
  triggeredBy: told(String(triggeredBy).split(':', 1)[0]!, (actor as unknown as Actor).username),
})

const told = (how: string, username: string): string => `${how}:${username}`
