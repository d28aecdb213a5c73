import { ANYBODY } from '@svc/domain/contract'
import type { Work } from '@svc/jobs/contract'
import type { Row, Transaction } from '@svc/store/contract'
import type { Delivered } from '../channel.ts'
import type { Said } from '../texts/words.ts'
import { entryIs, type Opened } from './entries.ts'
import { failed, tooMany } from './failures.ts'
import { amongRecords } from './kept-facts.ts'
import type { OpenDomain, SendParts } from './parts.ts'
import { MAX_RECIPIENTS, type Recipient, recipientsOf } from './recipients.ts'
import { sealingOf } from './sealing.ts'
import { tablesOf } from './tables.ts'
import { openTold } from './told.ts'

/**
 * Finds whom a message is for: the first address takes the entry, each further one gets an entry of its own, with the
 * words that its reader may see, and a job. Answers why there is nobody to write to.
 */
export async function address(
  opened: Opened,
  work: Work,
  open: OpenDomain,
  { accounts, sending, newId }: SendParts,
): Promise<Delivered | undefined> {
  const recipients = await recipientsOf(opened.raised.named, accounts)
  if (recipients.length === 0)
    return failed('NO_RECIPIENT', 'Nobody is named as recipient, or nobody who is active')
  if (recipients.length > MAX_RECIPIENTS) return tooMany()
  const said = await saidTo(recipients, opened, open)
  const { model } = open.data
  const { seal } = sealingOf(model)
  const { entry } = opened
  const rows = recipients.map(({ address: recipient, account, records, veil }, at) => ({
    ...entry,
    id: at === 0 ? String(entry['id']) : newId(),
    recipient,
    recipientVeil: veil,
    account,
    subject: seal(said[at]!.subject),
    body: seal(said[at]!.body),
    records: records === null ? null : [...records],
  }))
  const [first, ...others] = rows
  const { entries } = tablesOf(model.name)
  await work.commit(async (transaction: Transaction) => {
    if (first === undefined) return
    const { id: own, recipient, recipientVeil, account, subject, body, records } = first
    const set: Row = { recipient, recipientVeil, account, subject, body, records }
    await transaction.update({ table: entries, set, where: entryIs(own) })
    if (others.length > 0) await transaction.insertRows({ table: entries, rows: others })
    for (const { id } of rows) await sending().put(transaction, { domain: model.name, id })
  })
  return undefined
}

/** What each recipient is told; where the texts mean nothing any more, all are told what anybody may be. */
async function saidTo(
  recipients: readonly Recipient[],
  { raised }: Opened,
  { site, data: { reader } }: OpenDomain,
): Promise<readonly Said[]> {
  const told = openTold(raised, site, reader)
  if (told === undefined) return recipients.map(() => raised.said)
  const said: Said[] = []
  for (const recipient of recipients) {
    const isAnybody = recipient.account === null && recipient.records === null
    said.push(isAnybody ? raised.said : await toldTo(recipient))
  }
  return said

  async function toldTo({ account, reader: caller, records }: Recipient): Promise<Said> {
    const facts = amongRecords(told!.facts, records)
    return told!.words.fill(await told!.showingTo(account === null ? ANYBODY : caller, facts))
  }
}
