import type { Alteration, Change, Data, DomainBlock, Kept, Model, Resource } from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import type { Jobs } from '@svc/jobs/contract'
import { PRIVACY } from '@svc/privacy/contract'
import { EVENTS_KEY, type EventReader } from './contract.ts'
import { Ledger, type LedgerTools } from './ledger.ts'
import { isTold, resealEvent, rowOf, toldAlteration } from './rows.ts'
import { EVENT, tablesOf } from './tables.ts'
import { ticketTable } from './telling/tickets.ts'
import type { Table } from '@svc/store/contract'

/** How often events that nobody needs are looked for, in milliseconds. */
const PRUNE_MS = 60_000

export interface EventsBlockParts extends LedgerTools {
  readonly jobs: Jobs
  readonly readers: ReadonlyMap<string, EventReader>
  /** Begins to tell what happens outside, where it is kept for that; ends with what it returns. */
  readonly tell: (data: Data, ledger: Ledger, tickets: Table) => () => void
  /** Told of the ledger of each model that is compiled. */
  readonly made: (model: Model, ledger: Ledger) => void
}

/** Writes down what happens to records, in the transaction of the write, where some reader listens to it. */
export const eventsBlock = ({ jobs, made, tell, ...tools }: EventsBlockParts): DomainBlock => ({
  on: 'domain',
  key: EVENTS_KEY,
  afterIfLoaded: [HISTORY.key, PRIVACY.key],
  compile(_, site) {
    const { model } = site
    const isOutbox = tools.retentionMs > 0
    if (tools.readers.size === 0 && !isOutbox) return undefined
    const tables = tablesOf(model, site.made(PRIVACY)?.enabled)
    const ledger = new Ledger(model, tables, tools)
    made(model, ledger)
    const { interests } = ledger
    const timelines = new Map(
      [...model.resources.values()].map((one) => [one, site.made(HISTORY, one)] as const),
    )
    const tickets = ticketTable(model.name)
    let wake = (): void => undefined
    return {
      tables: { ...tables, ...(isOutbox && { tickets }) },
      ...(isOutbox && { links: true as const }),
      concerns: (change) => (isOutbox && isTold(change)) || !interests.isQuiet(change.resource),
      appends: () => true,
      selfContained: true,
      async afterWrite(change: Change, writes) {
        const history = timelines.get(change.resource)?.broughtBy(change) ?? []
        const isKept = isOutbox && isTold(change)
        if (!isKept && !(await interests.areIn(change, history, writes))) return
        await writes.append({ table: tables.events, values: rowOf(change, history, ledger.batch) })
        change.afterCommit.push(() => {
          ledger.noteCommit()
          if (ledger.isAwaited(change.resource)) wake()
        })
      },
      async altered(alteration: Alteration, transaction) {
        await ledger.tell(transaction, toldAlteration(alteration))
        alteration.afterCommit.push(() => {
          ledger.noteCommit()
          wake()
        })
      },
      keeps: (resource: Resource): readonly Kept[] => [
        {
          table: tables.events,
          recordId: EVENT.recordId,
          values: [EVENT.record, EVENT.previous],
          where: { op: 'eq', column: EVENT.resource, value: resource.name },
          reseal: (row, from) => resealEvent(row, from, { resource, model }),
        },
      ],
      acted: [{ table: tables.events, actor: EVENT.actor }],
      mentions: [
        {
          kind: 'event',
          table: tables.events,
          columns: [EVENT.record, EVENT.previous, EVENT.happened, EVENT.link],
          about: { resource: EVENT.resource, recordId: EVENT.recordId },
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
        const silence = isOutbox ? tell(data, ledger, tickets) : undefined
        return async () => {
          wake = () => undefined
          silence?.()
          ledger.open(undefined)
          await source.end()
        }
      },
    }
  },
})
