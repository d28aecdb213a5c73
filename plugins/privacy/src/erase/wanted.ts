import type { Data } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Method } from '../definition.ts'
import type { Setting } from '../setting.ts'

/** What an erase is asked for. */
export interface Wanted {
  readonly method: Method
  readonly reason: string | undefined
  readonly retainAudit: boolean
  readonly retainHistory: boolean
  readonly excludeResources: readonly string[]
  readonly dryRun: boolean
  /** Whether the account goes with the person. */
  readonly account: boolean
}

/** What an erase is done with. */
export interface Around {
  readonly call: Call
  readonly data: Data
  readonly setting: Setting
}

/** The ledgers that are to stay as they were. */
export const retainedBy = ({
  retainAudit,
  retainHistory,
}: Pick<Wanted, 'retainAudit' | 'retainHistory'>): ReadonlySet<'audit' | 'versions' | 'history'> =>
  new Set([
    ...(retainAudit ? (['audit'] as const) : []),
    ...(retainHistory ? (['versions', 'history'] as const) : []),
  ])
