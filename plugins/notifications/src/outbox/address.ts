import type { Work } from '@svc/jobs/contract'
import type { Row, Transaction } from '@svc/store/contract'
import type { Delivered } from '../channel.ts'
import { entryIs, type Opened } from './entries.ts'
import { failed, tooMany } from './failures.ts'
import type { OpenDomain, SendParts } from './parts.ts'
import { MAX_RECIPIENTS, recipientsOf } from './recipients.ts'
import { sealingOf } from './sealing.ts'
import { tablesOf } from './tables.ts'
import { wordsOf } from './told.ts'

/**
 * Finds whom a message is for: the first address takes the entry, each further one gets an entry of its own, with the
 * words that its reader may see, and a job. Answers why there is nobody to write to.
 */
export async function address(
  opened: Opened,
  work: Work,
  { data: { model }, site }: OpenDomain,
  { accounts, sending, newId }: SendParts,
): Promise<Delivered | undefined> {
  const recipients = await recipientsOf(opened.raised.named, accounts)
  if (recipients.length === 0)
    return failed('NO_RECIPIENT', 'Nobody is named as recipient, or nobody who is active')
  if (recipients.length > MAX_RECIPIENTS) return tooMany()
  const { seal } = sealingOf(model)
  const words = wordsOf(opened, site)
  const { entry } = opened
  const rows = recipients.map(
    ({ address: recipient, account, reader, records }, at): Row & { id: string } => {
      const said = words(reader, records)
      return {
        ...entry,
        id: at === 0 ? String(entry['id']) : newId(),
        recipient,
        account,
        subject: seal(said.subject),
        body: seal(said.body),
        records: records === null ? null : [...records],
      }
    },
  )
  const [first, ...others] = rows
  const { entries } = tablesOf(model.name)
  await work.commit(async (transaction: Transaction) => {
    if (first === undefined) return
    const { recipient, account, subject, body, records } = first
    const set = {
      recipient: recipient!,
      account: account!,
      subject: subject!,
      body: body!,
      records: records!,
    }
    await transaction.update({ table: entries, set, where: entryIs(first.id) })
    if (others.length > 0) await transaction.insertRows({ table: entries, rows: others })
    for (const { id } of rows) await sending().put(transaction, { domain: model.name, id })
  })
  return undefined
}
