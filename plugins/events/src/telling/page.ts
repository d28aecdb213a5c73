import type { Call } from '@svc/kernel'
import { BEGINNING, type EventLedger, type Place } from '../contract.ts'
import type { AskedOutside } from './asked.ts'
import { NO_EVENT } from './asked.ts'
import { type Telling, toldTo } from './told.ts'

/** How many events are looked at for one page at most, of which few may be asked for, or the reader may see few. */
const MOST = 10_000
const CHUNK = 500

/** Which part is asked for. */
export interface AskedPage extends AskedOutside {
  /** The id of the event after which it begins. */
  readonly after: string | undefined
  readonly limit: number
}

/** A part of what is kept, as the caller may see it: `next` is where the part after it begins. */
export interface EventPage {
  readonly items: readonly object[]
  readonly count: number
  readonly next: string
}

/** The place right before the first event: from before all places on, no index would begin in the batch where that is. */
async function beginning(ledger: EventLedger, reader: Telling['data']['reader']): Promise<Place> {
  const first = await ledger.ahead(reader, BEGINNING, 1)
  return first === undefined ? BEGINNING : { ...first.place, number: first.place.number - 1 }
}

/** Reads a part of the events. One whose `after` is kept no more begins with the first that is. */
export async function pageOf(
  asked: AskedPage,
  { caller }: Pick<Call, 'caller'>,
  ledger: EventLedger,
  telling: Telling,
): Promise<EventPage> {
  const { reader } = telling.data
  await ledger.gather()
  const from = asked.after === undefined ? undefined : await ledger.find(reader, asked.after)
  let place = from ?? (await beginning(ledger, reader))
  let next = asked.after ?? NO_EVENT
  const items: object[] = []
  const { resources, recordIds, actions, limit } = asked
  const narrowed = { resources, ...(recordIds && { recordIds }) }
  for (let looked = 0; looked < MOST; looked += CHUNK) {
    const end = await ledger.ahead(reader, place, CHUNK)
    if (end === undefined) break
    const events = await ledger.read(reader, { after: place, upTo: end.place, isTold: true, ...narrowed })
    const told = await toldTo(caller, events, telling)
    for (const [at, event] of events.entries()) {
      const one = told[at]
      if (one === undefined || (actions && !actions.has(one.action))) continue
      items.push(one.data)
      if (items.length === limit) return { items, count: limit, next: event.id! }
    }
    next = end.id
    place = end.place
  }
  return { items, count: items.length, next }
}
