import { announce } from '@svc/automation/contract'
import { ANYBODY, type Data, recordFor } from '@svc/domain/contract'
import { Postponed, type Work } from '@svc/jobs/contract'
import type { Row, Transaction } from '@svc/store/contract'
import type { Channel, Delivered, Message } from '../channel.ts'
import { address } from './address.ts'
import { afterTry, channelOf, entryIs, findEntry, type Opened, settingsOf } from './entries.ts'
import { failed, keptBack, tooMany, unreadable } from './failures.ts'
import { openFacts } from './kept-facts.ts'
import type { OpenDomain, SendParts } from './parts.ts'
import { leftOf, sayAnew } from './passing.ts'
import { presentEntry, recordIdOf, saidIn, sourceOf, textIn } from './present.ts'
import type { Sending } from './raise.ts'
import { MAX_RECIPIENTS, recipientsOf } from './recipients.ts'
import { tablesOf } from './tables.ts'

/** How long a message waits for its domain to be in force again, in milliseconds. */
const ABSENT_MS = 1000

/** Does one try of a message, or finds first whom it is for. */
export async function send({ domain, id }: Sending, work: Work, parts: SendParts): Promise<void> {
  const open = parts.domains.get(domain)
  if (open === undefined) throw new Postponed(`the domain '${domain}' is not in force here`, ABSENT_MS)
  const opened = await findEntry(id, open)
  if (opened === undefined || opened.entry['status'] !== 'pending') return
  const chosen = channelOf(opened, parts.find)
  if (chosen === undefined)
    return finish(
      opened,
      failed('UNSUPPORTED', 'The plugin of this channel is not loaded'),
      work,
      open,
      parts,
    )
  if (opened.raised.facts === null) return finish(opened, unreadable(), work, open, parts)
  const left = await leftOf(opened, open, parts)
  if (left.kind === 'nothing') return finish(opened, keptBack(left.why), work, open, parts)
  const { channel, written } = chosen
  if (channel.isAddressed && opened.entry['recipient'] === null) {
    const fault = await address(opened, work, open, parts)
    return fault && finish(opened, fault, work, open, parts)
  }
  if (left.kind === 'some') {
    const isSaid = await sayAnew(opened, left.places, work, open, parts)
    return isSaid ? undefined : finish(opened, keptBack(left.why), work, open, parts)
  }
  const found = settingsOf(channel, written, open.site)
  const delivered =
    typeof found === 'string'
      ? failed('CONFLICT', found)
      : await tried(opened, channel, found.settings, work, open, parts)
  await finish(opened, delivered, work, open, parts)
}

async function tried(
  opened: Opened,
  channel: Channel,
  settings: unknown,
  work: Work,
  open: OpenDomain,
  { accounts, log, opener }: SendParts,
): Promise<Delivered> {
  const recipients = channel.isAddressed ? [] : await recipientsOf(opened.raised.named, accounts)
  if (recipients.length > MAX_RECIPIENTS) return tooMany()
  const addresses = recipients.flatMap(({ address: one, veil }) => (veil === null ? [one] : []))
  const message = messageOf(opened, addresses, open, opener)
  try {
    return await channel.deliver(message, settings, work.signal)
  } catch (error) {
    if (work.signal.aborted || error instanceof Postponed) throw error
    log.error({ err: error, id: message.id, channel: channel.type }, 'notifications.channel_failed')
    return {
      status: 'retry',
      code: 'INTERNAL_ERROR',
      message: 'Something went wrong inside the server: its log says what',
    }
  }
}

function messageOf(
  opened: Opened,
  addresses: readonly string[],
  { data }: OpenDomain,
  opener: SendParts['opener'],
): Message {
  const { entry, raised } = opened
  const { model } = data
  const { enclosure } = raised
  return {
    id: String(entry['id']),
    domain: model.name,
    name: String(entry['name']),
    source: sourceOf(entry),
    resource: textIn(entry, 'resource'),
    recordId: recordIdOf(entry, model),
    record: publicRecord(opened, data),
    ...saidIn(entry, model),
    recipient: textIn(entry, 'recipient'),
    recipients: addresses,
    at: raised.at,
    attempt: Number(entry['attempts']) + 1,
    enclosed: async () => enclosure && opener(enclosure.kind)?.(model.name, enclosure.id),
  }
}

/** The record as it was, as far as anybody may see it. */
function publicRecord({ entry, raised }: Opened, { model }: Data): Row | null {
  const resource = model.resources.get(textIn(entry, 'resource') ?? '')
  if (resource === undefined) return null
  const { record, now } = openFacts(raised.facts, { resource, moment: 'read' })
  return record ? recordFor(ANYBODY, resource, record, now) : null
}

/** Writes how a try ended, and puts the next one. */
async function finish(
  { entry }: Opened,
  delivered: Delivered,
  work: Work,
  { data: { model } }: OpenDomain,
  { env, retryMs, sending, bus, metrics }: SendParts,
): Promise<void> {
  const attempts = Number(entry['attempts']) + 1
  const now = env.now()
  const pause = retryMs[attempts - 1]
  const nextAt =
    pause === undefined || delivered.status !== 'retry'
      ? null
      : new Date(now + Math.max(pause, delivered.afterMs ?? 0)).toISOString()
  const at = new Date(now).toISOString()
  const set = afterTry(delivered, attempts, at, nextAt)
  const id = String(entry['id'])
  const { entries } = tablesOf(model.name)
  await work.commit(async (transaction: Transaction) => {
    await transaction.update({ table: entries, set, where: entryIs(id) })
    if (nextAt !== null)
      return void (await sending().put(transaction, { domain: model.name, id }, { at: nextAt }))
    const ended = { ...entry, ...set }
    transaction.afterCommit(() => {
      metrics.ended.add({ channel: String(entry['channel']), status: String(set['status']) })
      announce(bus, {
        domain: model.name,
        name: `notification.${String(set['status'])}`,
        at,
        entry: presentEntry(ended, saidIn(ended, model), model),
      })
    })
  })
}
