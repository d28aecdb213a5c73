import type { Accounts } from '@svc/auth/contract'
import type { Domains, Model } from '@svc/domain/contract'
import type { Jobs } from '@svc/jobs/contract'
import { type Context, createUuidV7 } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { eventsBlock } from './block.ts'
import type { EventsConfig } from './config.ts'
import type { EventReader, Events } from './contract.ts'
import type { Ledger } from './ledger.ts'
import { outsideActions } from './telling/actions.ts'
import { Outside } from './telling/outside.ts'

/** Adds a ledger of events to every domain, and tells it to those who read it. */
export function startEvents({
  accounts,
  actions,
  config,
  domains,
  env,
  host,
  jobs,
  log,
  store,
}: Context & {
  readonly accounts: Accounts
  readonly config: EventsConfig
  readonly domains: Domains
  readonly jobs: Jobs
  readonly store: Store
}): Events {
  const readers = new Map<string, EventReader>()
  const outside = new Map<string, Outside>()
  const shared = { accounts, env, log, maxStreams: config.max_streams, open: { streams: 0 } }
  const ledgers = new WeakMap<Model, Ledger>()
  const made = (model: Model, ledger: Ledger) => void ledgers.set(model, ledger)
  const retentionMs = config.enabled ? config.retention_hours * 3_600_000 : 0
  domains.block(
    eventsBlock({
      readers,
      made,
      jobs,
      retentionMs,
      isOrdered: store.features.has('ordered'),
      newMark: createUuidV7(env),
      now: () => env.now(),
      tell(data, ledger, tickets) {
        const own = new Outside(data, ledger, tickets, shared)
        outside.set(data.model.name, own)
        return () => {
          if (outside.get(data.model.name) === own) outside.delete(data.model.name)
          own.close()
        }
      },
    }),
  )
  actions.add(...outsideActions({ domains, of: (name) => outside.get(name), isEnabled: config.enabled }))
  host.stopping.addEventListener('abort', () => outside.forEach((one) => one.close()), { once: true })
  return {
    isOutbox: config.enabled,
    outside: (domain) => outside.get(domain),
    reader(reader) {
      if (readers.has(reader.name)) throw new Error(`there is a reader of events '${reader.name}' already`)
      readers.set(reader.name, reader)
    },
    of(model) {
      const ledger = ledgers.get(model)
      if (ledger === undefined)
        throw new Error(
          `'${model.name}' keeps no events yet: a block that asks for them comes after 'events'`,
        )
      return ledger
    },
  }
}
