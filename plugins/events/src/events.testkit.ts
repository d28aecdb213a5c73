import { compileTrigger, type Trigger, type TriggerDefinition } from '@svc/automation/contract'
import { type Data, DomainsCapability, type DomainBlock } from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import { definePlugin, type Plugin } from '@svc/kernel'
import { z } from 'zod'
import { type EventLedger, EventsCapability, type Place, type RecordEvent } from './contract.ts'

/** Readers of events for tests: domains say by `ears` what they listen to. */
export interface Listening {
  readonly plugin: Plugin
  /** What was taken, in order. */
  readonly taken: RecordEvent[]
  readonly marks: { readonly mark: string; readonly place: Place }[]
  /** Of the model in force. */
  data(): Data
  ledger(): EventLedger
  /** What the reader needs still, by resource. */
  needed: ReadonlyMap<string, Place>
  /** The fields by whose values the reader asks. */
  keys: ReadonlyMap<string, ReadonlySet<string>>
}

/** Makes a plugin with one reader. */
export function createListening(): Listening {
  let open: { readonly data: Data; readonly ledger: EventLedger } | undefined
  const present = () => {
    if (open === undefined) throw new Error('no model is in force')
    return open
  }
  const listening: Listening = {
    plugin: definePlugin({
      name: 'listening',
      phase: 'domain',
      requires: { domains: DomainsCapability, events: EventsCapability },
      setup({ domains, events }) {
        const triggers = new WeakMap<object, readonly Trigger[]>()
        events.reader({
          name: 'test',
          interests: async (model) => triggers.get(model) ?? [],
          async take(_, { events: next, marks }) {
            listening.taken.push(...next)
            listening.marks.push(...marks)
          },
          keys: async () => listening.keys,
          needs: async () => listening.needed,
        })
        const block: DomainBlock<readonly TriggerDefinition[]> = {
          on: 'domain',
          key: 'ears',
          schema: z.array(z.custom<TriggerDefinition>()),
          after: ['events', HISTORY.key],
          compile(written, site) {
            const history = (resource: Parameters<typeof site.made>[1]) =>
              (resource && site.made(HISTORY, resource)?.events) ?? []
            const compiled = (written ?? []).flatMap(
              (one, at) => compileTrigger(one, [at], site, { history }) ?? [],
            )
            triggers.set(site.model, compiled)
            const ledger = events.of(site.model)
            return {
              open(data) {
                open = { data, ledger }
              },
            }
          },
        }
        domains.block(block)
      },
    }),
    taken: [],
    marks: [],
    data: () => present().data,
    ledger: () => present().ledger,
    needed: new Map(),
    keys: new Map(),
  }
  return listening
}
