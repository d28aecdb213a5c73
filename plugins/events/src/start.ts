import type { Domains, Model } from '@svc/domain/contract'
import type { Jobs } from '@svc/jobs/contract'
import { type Context, createUuidV7 } from '@svc/kernel'
import { eventsBlock } from './block.ts'
import type { EventReader, Events } from './contract.ts'
import type { Ledger } from './ledger.ts'

/** Adds a ledger of events to every domain, and tells it to those who read it. */
export function startEvents({
  domains,
  jobs,
  env,
}: Context & { readonly domains: Domains; readonly jobs: Jobs }): Events {
  const readers = new Map<string, EventReader>()
  const ledgers = new WeakMap<Model, Ledger>()
  const made = (model: Model, ledger: Ledger) => void ledgers.set(model, ledger)
  domains.block(eventsBlock({ readers, made, jobs, newId: createUuidV7(env), now: () => env.now() }))
  return {
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
