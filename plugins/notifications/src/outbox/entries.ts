import type { Site } from '@svc/domain/contract'
import type { Condition, Reader, Row } from '@svc/store/contract'
import type { Channel, Delivered } from '../channel.ts'
import type { Enclosure } from '../contract.ts'
import type { Said } from '../texts/words.ts'
import type { OpenDomain } from './parts.ts'
import {
  type KeptNamed,
  type KeptWritten,
  openEnclosure,
  openNamed,
  openSaid,
  openWritten,
} from './raised.ts'
import { sealingOf } from './sealing.ts'
import { ENTRY, RAISED, tablesOf } from './tables.ts'

/** An entry of the outbox with what it was raised with. */
export interface Opened {
  readonly entry: Row
  readonly raised: Kept
}

/** What a notification was raised with. */
export interface Kept {
  readonly name: string
  readonly at: string
  readonly written: KeptWritten
  readonly named: KeptNamed
  /** As `openFacts` takes them; null where they were sealed and nobody can open them any more. */
  readonly facts: unknown
  /** What anybody may be told. */
  readonly said: Said
  /** The file that goes along. */
  readonly enclosure: Enclosure | undefined
}

export const entryIs = (id: string): Condition => ({ op: 'eq', column: ENTRY.id, value: id })

/** The entry of an id; undefined where it is gone. */
export async function findEntry(id: string, { data }: OpenDomain): Promise<Opened | undefined> {
  const { entries } = tablesOf(data.model.name)
  const [entry] = await data.reader.select({
    table: entries,
    columns: entries.columns,
    where: entryIs(id),
    order: [],
    limit: 1,
  })
  const raised = entry && (await findRaised(entry, data))
  return raised && { entry, raised }
}

/** What an entry was raised with; undefined where that is gone. */
export async function findRaised(
  entry: Row,
  { model, reader }: Pick<OpenDomain['data'], 'model'> & { readonly reader: Reader },
): Promise<Kept | undefined> {
  const { raised } = tablesOf(model.name)
  const [row] = await reader.select({
    table: raised,
    columns: raised.columns,
    where: { op: 'eq', column: RAISED.id, value: String(entry['raised']) },
    order: [],
    limit: 1,
  })
  if (row === undefined) return undefined
  const { open } = sealingOf(model)
  return {
    name: String(entry['name']),
    at: String(row['at']),
    written: openWritten(row['written']),
    named: openNamed(open(row['named'])),
    facts: open(row['facts']),
    said: openSaid(open(row['said'])),
    enclosure: openEnclosure(row['enclosure']),
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

/** The channel that an entry leaves by; undefined where its plugin is not loaded. */
export function channelOf(
  { entry, raised }: Opened,
  find: (name: string) => Channel | undefined,
): { readonly channel: Channel; readonly written: unknown } | undefined {
  const kept = raised.written.channels[Number(entry['place'])]
  const channel = kept && find(kept.type)
  return channel && { channel, written: kept.settings }
}

/** The settings of a channel with the values of their variables; a text says which one is missing. */
export function settingsOf(
  channel: Channel,
  written: unknown,
  site: Site,
): { readonly settings: unknown } | string {
  if (channel.settings === undefined) return { settings: {} }
  const apart = site.apart(written)
  if (apart.problems.length > 0) return `A variable that the channel '${channel.type}' reads is not set`
  const settings = new Map(Object.entries(Object(apart.filled)))
  for (const key of channel.secrets ?? []) {
    const secret = settings.has(key) ? apart.secret([key]) : undefined
    if (secret === undefined) continue
    const value = secret.reveal()
    if (value === undefined) return `The variable ${secret.variable}, which is a secret, is not set`
    settings.set(key, value)
  }
  const parsed = channel.settings.safeParse(Object.fromEntries(settings))
  return parsed.success
    ? { settings: parsed.data }
    : `The channel '${channel.type}' takes other settings by now`
}
