import type { Accounts } from '@svc/auth/contract'
import type { Context } from '@svc/kernel'
import type { Manifest } from '../manifest.ts'
import type { Source } from '../read.ts'

/** What a run works with. */
export interface Tools extends Pick<Context, 'actions' | 'call' | 'log'> {
  readonly accounts: Accounts
}

/** One run of a manifest. */
export interface Run extends Tools {
  readonly source: Source
  readonly manifest: Manifest
}
