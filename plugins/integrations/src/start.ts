import { type Retained, sweepLedger } from '@svc/automation/contract'
import type { Accounts } from '@svc/auth/contract'
import type { Domains } from '@svc/domain/contract'
import type { Jobs } from '@svc/jobs/contract'
import { type Context, createUuidV7, defineAction, repeat } from '@svc/kernel'
import type { Media } from '@svc/media/contract'
import type { Notifications } from '@svc/notifications/contract'
import { createKeptSecrets, type KeptSecrets, type Outbound } from '@svc/outbound/contract'
import type { Condition, Store } from '@svc/store/contract'
import { createFiles } from './auth/files.ts'
import { declareConsumers } from './inbound/consuming.ts'
import { integrationsBlock } from './block.ts'
import type { IntegrationsConfig } from './config.ts'
import type { Parts } from './parts.ts'
import type { Means } from './run/means.ts'
import { declareOccasions } from './triggers/occasions.ts'
import { declareRuns } from './run/work.ts'
import { LETTER } from './tables/dead-letters.ts'
import { ENTRY } from './tables/log.ts'
import { RUN } from './tables/runs.ts'
import { SEEN } from './tables/seen.ts'

const SWEEP_MS = 3_600_000
/** For how many days a dead letter stays that was retried. */
const RETRIED_DAYS = 30

/** What this plugin is given at set-up. */
export interface Given extends Context {
  readonly config: IntegrationsConfig
  readonly accounts: Accounts
  readonly domains: Domains
  readonly jobs: Jobs
  readonly media: Media | undefined
  readonly notifications: Notifications
  readonly outbound: Outbound
  readonly store: Store
}

/** Adds the key to the language, and does the runs of all domains in force. */
export function startIntegrations(given: Given): KeptSecrets {
  const {
    accounts,
    actions,
    bus,
    config,
    domains,
    env,
    jobs,
    log,
    media,
    notifications,
    outbound,
    redaction,
    store,
  } = given
  const files = createFiles(config.files_dir)
  const kept = keptBy(config, accounts.deriveKey('secrets of integrations and webhooks'))
  const open = new Map<string, Means>()
  const kind = declareRuns(jobs, open, config.concurrency)
  const consumers = declareConsumers(jobs, open)
  declareOccasions(jobs, open)
  const parts: Parts = {
    isEnabled: config.enabled,
    maxBodyBytes: config.max_body_bytes,
    logRetentionDays: config.log_retention_days,
    accounts,
    domains,
    env,
    bus,
    log,
    store,
    outbound,
    files,
    publicUrl: config.public_url,
    redaction,
    media,
    notifications,
    kept,
    newId: createUuidV7(env),
    jobs: () => kind,
    consumers: () => consumers,
    answers: { store, env, running: new Set<string>() },
  }
  domains.block(integrationsBlock(parts, open))
  const sweep = () => sweepAll(open.values(), parts)
  actions.add(
    defineAction({
      name: 'integrations.sweep',
      summary: 'Remove entries of the log, runs and dead letters whose time is over',
      access: [],
      handle: sweep,
    }),
  )
  given.onOpen(() =>
    repeat(sweep, {
      everyMs: SWEEP_MS,
      log,
      failure: 'integrations.sweep_failed',
    }),
  )
  return kept
}

/** Seals by the operator's key, or the one that is derived; what was sealed by that, or by keys of before, is opened still. */
function keptBy(
  { encryption_key: key, previous_encryption_keys: previous }: IntegrationsConfig,
  derived: Uint8Array,
): KeptSecrets {
  const before = previous.map(bytesOf)
  return key === undefined
    ? createKeptSecrets({ key: derived, previous: before })
    : createKeptSecrets({ key: bytesOf(key), previous: [...before, derived] })
}

const bytesOf = (key: string): Uint8Array => new Uint8Array(Buffer.from(key, 'base64'))

/** Takes away what is over. */
async function sweepAll(
  all: Iterable<Means>,
  { env, store, logRetentionDays: usual }: Parts,
): Promise<{ readonly removed: number }> {
  let removed = 0
  const sweep = async (retained: Retained) => {
    removed += await sweepLedger(retained, store, env.now())
  }
  for (const { tables, integrations } of all) {
    const own = [...integrations.values()].filter(({ log }) => log.retentionDays !== undefined)
    for (const { name, log } of own) {
      const where: Condition = { op: 'eq', column: ENTRY.integration, value: name }
      await sweep({ table: tables.log, endedAt: ENTRY.createdAt, days: log.retentionDays, where })
    }
    const others: Condition = {
      op: 'and',
      of: own.map(({ name }) => ({ op: 'ne', column: ENTRY.integration, value: name })),
    }
    const where = own.length === 0 ? {} : { where: others }
    await sweep({ table: tables.log, endedAt: ENTRY.createdAt, days: usual, ...where })
    await sweep({ table: tables.runs, endedAt: RUN.endedAt, days: usual })
    await sweep({ table: tables.letters, endedAt: LETTER.retriedAt, days: RETRIED_DAYS })
    await sweep({ table: tables.seen, endedAt: SEEN.until, days: 0 })
  }
  return { removed }
}
