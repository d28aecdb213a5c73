import type { Model } from '@svc/domain/contract'
import type { Condition, Reader, Row } from '@svc/store/contract'
import type { Channel, Delivered } from '../channel.ts'
import type { KeptContext, KeptNamed, KeptWritten } from './raised.ts'
import { openContext, openNamed, openWritten } from './raised.ts'
import { sealingOf } from './sealing.ts'
import { ENTRY, RAISED, tablesOf } from './tables.ts'

/** An entry of the outbox with what it was raised with. */
export interface Opened {
  readonly entry: Row
  readonly raised: { readonly at: string; readonly written: KeptWritten; readonly named: KeptNamed }
  context(): KeptContext
}

export const entryIs = (id: string): Condition => ({ op: 'eq', column: ENTRY.id, value: id })

/** The entry of an id; undefined where it is gone. */
export async function findEntry(id: string, model: Model, reader: Reader): Promise<Opened | undefined> {
  const { entries, raised } = tablesOf(model.name)
  const [entry] = await reader.select({
    table: entries,
    columns: entries.columns,
    where: entryIs(id),
    order: [],
    limit: 1,
  })
  if (entry === undefined) return undefined
  const [row] = await reader.select({
    table: raised,
    columns: raised.columns,
    where: { op: 'eq', column: RAISED.id, value: String(entry['raised']) },
    order: [],
    limit: 1,
  })
  if (row === undefined) return undefined
  return {
    entry,
    raised: {
      at: String(row['at']),
      written: openWritten(row['written']),
      named: openNamed(row['named']),
    },
    context: () => openContext(sealingOf(model).open(row['context'])),
  }
}

/** The longest message that is kept of an error. */
const MAX_MESSAGE = 500

/** What becomes of an entry after a try; `nextAt` is when another one is due, null: never. */
export function afterTry(delivered: Delivered, attempts: number, at: string, nextAt: string | null): Row {
  const common = {
    attempts,
    responseStatus: delivered.responseStatus ?? null,
    ...errorOf(delivered),
  }
  if (delivered.status === 'retry' && nextAt !== null)
    return { ...common, status: 'pending', nextAttemptAt: nextAt }
  const status = delivered.status === 'retry' ? 'failed' : delivered.status
  return { ...common, status, nextAttemptAt: null, endedAt: at, sentAt: status === 'sent' ? at : null }
}

const errorOf = (delivered: Delivered): Row =>
  'code' in delivered
    ? { errorCode: delivered.code, errorMessage: shortened(delivered.message) }
    : { errorCode: null, errorMessage: null }

const shortened = (message: string): string =>
  message
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_MESSAGE)

/** The channel that an entry leaves by, with the settings that it was raised with. */
export function channelOf(
  { entry, raised }: Opened,
  find: (name: string) => Channel | undefined,
): { readonly channel: Channel; readonly settings: unknown } | undefined {
  const kept = raised.written.channels[Number(entry['place'])]
  const channel = kept && find(kept.type)
  if (kept === undefined || channel === undefined) return undefined
  return { channel, settings: kept.settings }
}
