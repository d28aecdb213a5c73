import { BEGINNING, type EventLedger, type Place } from '@svc/events/contract'
import type { Transaction } from '@svc/store/contract'

/** Texts of places sort as these do; those of marks come after all of them. */
const DIGITS = 15
const MARK = '~'

/** What a line has heard, as a text: all up to a place. */
export const heardUpTo = ({ batch, number }: Place): string =>
  `${String(batch).padStart(DIGITS, '0')}.${String(number).padStart(DIGITS, '0')}`

/** The same up to a mark, whose place is not known yet. */
export const heardUpToMark = (mark: string): string => `${MARK}${mark}`

/** The mark that a text names. */
export const markIn = (heard: string): string | undefined =>
  heard.startsWith(MARK) ? heard.slice(MARK.length) : undefined

/** Texts from this one on name marks. */
export const FIRST_MARK = MARK

export function placeIn(heard: string): Place {
  const [batch = 0, number = 0] = heard.split('.').map(Number)
  return { batch, number }
}

/** The place up to which a line has heard; `end` is behind all that is there, which it has heard where it says nothing. */
export async function placeOf(
  heard: string | null,
  { ledger, end }: { readonly ledger: EventLedger; readonly end: Place },
  transaction: Transaction,
): Promise<Place> {
  if (heard === null) return end
  const mark = markIn(heard)
  return mark === undefined ? placeIn(heard) : ((await ledger.placeOf(transaction, mark)) ?? BEGINNING)
}
