import type { Domains } from '@svc/domain/contract'
import type { Accounts } from '@svc/auth/contract'
import type { Media } from '@svc/media/contract'
import type { HttpServer } from '@svc/rest/contract'
import { privacyAspect } from './aspect.ts'
import { privacyBlock } from './block.ts'
import { type EncryptionContext, startEncryption } from './encryption/start.ts'
import { consentFunction } from './consent/function.ts'
import type { SubjectKey } from './subjects/key.ts'
import { createDailySweeps } from './retention/daily.ts'
import { scrubCommand } from './scrub/command.ts'
import { createScrubs } from './scrub/scrubs.ts'
import { subjectBlock } from './resource-block.ts'

export interface PrivacyContext extends EncryptionContext {
  readonly domains: Domains
  readonly accounts: Accounts
  readonly media: Media | undefined
  readonly http: HttpServer | undefined
}

/** What stands in paths behind an identifier. */
const BEHIND_IDENTIFIERS = [
  'export',
  'erase',
  'consent',
  'grant',
  'withdraw',
  'rectify',
  'restrict',
  'unrestrict',
] as const

/** Adds the three keys called `privacy` to the language: of domains, of resources, and of fields. */
export async function startPrivacy(context: PrivacyContext): Promise<void> {
  const { domains, accounts, env, http, jobs, media, bus, store, log } = context
  http?.conceal(['privacy', 'subject'], ':identifier', BEHIND_IDENTIFIERS)
  const encrypting = await startEncryption(context)
  domains.aspect(privacyAspect(encrypting.rings))
  domains.block(subjectBlock)
  const sweeps = createDailySweeps(jobs, context)
  const scrubs = createScrubs(jobs, store, context)
  context.management?.add(scrubCommand(scrubs))
  const keys = new Map<string, SubjectKey>()
  domains.expressionFunction('hasConsent', consentFunction(keys))
  domains.block(privacyBlock({ accounts, env, encrypting, media, bus, store, log, keys, sweeps, scrubs }))
}
