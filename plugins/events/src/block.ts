import { type Change, type DomainBlock, type Kept, type Model, type Resource } from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import type { Jobs } from '@svc/jobs/contract'
import { EVENTS_KEY, type EventReader } from './contract.ts'
import { Interests } from './interests.ts'
import { Ledger, type LedgerTools } from './ledger.ts'
import { rowOf } from './rows.ts'
import { EVENT, tablesOf } from './tables.ts'

/** How often events that nobody needs are looked for, in milliseconds. */
const PRUNE_MS = 60_000

export interface EventsBlockParts extends LedgerTools {
  readonly jobs: Jobs
  readonly readers: ReadonlyMap<string, EventReader>
  /** Told of the ledger of each model that is compiled. */
  readonly made: (model: Model, ledger: Ledger) => void
}

/** Writes down what happens to records, in the transaction of the write, where some reader listens to it. */
export const eventsBlock = ({ jobs, made, ...tools }: EventsBlockParts): DomainBlock => ({
  on: 'domain',
  key: EVENTS_KEY,
  afterIfLoaded: [HISTORY.key],
  compile(_, site) {
    const { model } = site
    if (tools.readers.size === 0) return undefined
    const tables = tablesOf(model)
    const ledger = new Ledger(model, tables, tools)
    made(model, ledger)
    const interests = new Interests(model, tools.readers)
    const timelines = new Map(
      [...model.resources.values()].map((one) => [one, site.made(HISTORY, one)] as const),
    )
    let wake = (): void => undefined
    return {
      tables: { ...tables },
      concerns: ({ resource }) => !interests.isQuiet(resource),
      isQuiet: (resource) => interests.isQuiet(resource),
      async afterWrite(change: Change, writes) {
        const history = timelines.get(change.resource)?.broughtBy(change) ?? []
        if (!(await interests.areIn(change, history, writes))) return
        await writes.insert({ table: tables.events, values: rowOf(change, history) })
        change.afterCommit.push(() => wake())
      },
      keeps: (resource: Resource): readonly Kept[] => [
        {
          table: tables.events,
          recordId: EVENT.recordId,
          values: [EVENT.record, EVENT.previous],
          where: { op: 'eq', column: EVENT.resource, value: resource.name },
        },
      ],
      open(data) {
        ledger.open(data)
        let prunedAt = tools.now()
        const source = jobs.source(`events of ${model.name}`, async () => {
          const found = await ledger.catchUp()
          if (Math.abs(tools.now() - prunedAt) >= PRUNE_MS) {
            prunedAt = tools.now()
            await ledger.prune()
          }
          return found
        })
        wake = () => source.wake()
        source.wake()
        return async () => {
          wake = () => undefined
          ledger.open(undefined)
          await source.end()
        }
      },
    }
  },
})
