import type { Data, Model } from '@svc/domain/contract'
import type { Events } from '@svc/events/contract'
import { type Jobs, Postponed } from '@svc/jobs/contract'
import { askMany } from './ask.ts'
import { Ears, READER } from './ears.ts'
import type { WaitJobs } from './find.ts'
import { DomainJob, HearJob, WAIT_DELAYS_MS } from './jobs.ts'
import type { OpenWaits } from './wait.ts'

/** How long work waits for its domain to be in force. */
const NOT_IN_FORCE_MS = 2000

interface Hearing {
  readonly ears: Ears
  readonly data: Data
}

/** Makes waits that hear the ledger of events, and does the work of it. */
export function createWaits({ events, jobs }: { readonly events: Events; readonly jobs: Jobs }): OpenWaits {
  const known = new WeakMap<Model, Ears>()
  const hearing = new Map<string, Hearing>()
  const inForce = (domain: string): Hearing => {
    const found = hearing.get(domain)
    if (found !== undefined) return found
    throw new Postponed(`the domain '${domain}' is not in force on this server`, NOT_IN_FORCE_MS)
  }
  const work: WaitJobs = {
    hear: jobs.kind('workflows.hear', {
      payload: HearJob,
      delaysMs: WAIT_DELAYS_MS,
      run: async ({ domain, line, turn }) => {
        const { ears, data } = inForce(domain)
        await ears.hear(data, line, turn)
      },
    }),
    ask: jobs.kind('workflows.ask', {
      payload: DomainJob,
      delaysMs: WAIT_DELAYS_MS,
      maxRunMs: 3_600_000,
      order: ({ domain }) => domain,
      run: async ({ domain }, { signal }) => {
        const { ears, data } = inForce(domain)
        await askMany(ears, work, data, signal)
      },
    }),
  }
  events.reader({
    name: READER,
    interests: async (model, transaction) =>
      ((await known.get(model)?.lines.awaited(transaction)) ?? []).map(({ trigger }) => trigger),
    async take(model, taken, transaction) {
      await known.get(model)?.take(taken, transaction)
    },
    keys: async (model, transaction) => (await known.get(model)?.keys(transaction)) ?? new Map(),
    needs: async (model, transaction) => (await known.get(model)?.needs(transaction)) ?? new Map(),
  })
  return (model, lines) => {
    const ears = new Ears({
      model,
      lines,
      ledger: events.of(model),
      jobs: work,
      enter(one, data) {
        const entry = { ears: one, data }
        hearing.set(model.name, entry)
        return () => {
          if (hearing.get(model.name) === entry) hearing.delete(model.name)
        }
      },
    })
    known.set(model, ears)
    return ears
  }
}
