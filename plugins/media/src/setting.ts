import type { Domains, KeptAnswers } from '@svc/domain/contract'
import type { Files } from '@svc/files/contract'
import type { Telling } from './library/telling.ts'
import type { Keep } from './keep.ts'
import type { Tiers } from './tiers.ts'

/** What all libraries of a server work with. */
export interface Means extends Telling {
  readonly files: Files
  readonly domains: Pick<Domains, 'limits'>
  readonly keep: Keep
  /** Where answers to requests with an `Idempotency-Key` are kept. */
  readonly answers: Omit<KeptAnswers, 'transaction'>
}

/** The library of a domain. */
export interface Library extends Means {
  readonly domain: string
  readonly tiers: Tiers
}
