import {
  entryOf,
  type Ledger,
  ledgerReader,
  ledgerWindow,
  onceOf,
  type Window,
  windows,
} from '@svc/automation/contract'
import { domainAction, type Model, type Writes } from '@svc/domain/contract'
import { errors, Reply } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import { presentEntry } from '../outbox/present.ts'
import { resend, type ResendParts } from '../outbox/resend.ts'
import { ENTRY, tablesOf } from '../outbox/tables.ts'
import { NotificationEntry, STATUSES } from './entry.ts'
import { type ShownParts, shownTo } from './shown.ts'

const SCHEMA = 'Notification'
const ONE = 'a message'

/** The actions by which administrators look at what was sent, and send it again. */
export function notificationWindow(model: Model, parts: ResendParts & ShownParts): Window {
  const ledger = ledgerOf(model, parts)
  return windows(
    ledgerWindow({
      ledger,
      schema: SCHEMA,
      words: [ONE, 'messages'],
      list: { name: 'list', path: '/notifications' },
      get: 'get',
    }),
    resendWindow(ledger, parts),
  )
}

const ledgerOf = (model: Model, parts: ShownParts): Ledger => ({
  table: tablesOf(model.name).entries,
  id: ENTRY.id,
  at: ENTRY.createdAt,
  filters: {
    status: { column: ENTRY.status, description: 'Only those of this status.', values: STATUSES },
    channel: { column: ENTRY.channel, description: 'Only those that leave by this channel.' },
    source: {
      column: ENTRY.source,
      description: 'Only those that the rule, schedule or workflow of this name raised.',
    },
    recordId: { column: ENTRY.recordId, description: 'Only those about the record of this key.' },
    recipient: {
      column: ENTRY.recipient,
      veil: ENTRY.recipientVeil,
      description: 'Only those to this address.',
    },
  },
  entry: NotificationEntry,
  present: async (row, reader) => {
    const entry = presentEntry(row, await shownTo(row, reader, parts), reader.data.model)
    return reader.sees(row['recipientVeil']) ? entry : withoutRecipient(entry)
  },
})

/** What a mail server says of a message may name whom that was for. */
const withoutRecipient = (entry: Row): Row => ({
  ...entry,
  recipient: null,
  error:
    entry['error'] === null
      ? null
      : { ...Object(entry['error']), message: 'You may not read whom it was for' },
})

const resendWindow = (ledger: Ledger, parts: ResendParts): Window => ({
  actions: [
    domainAction<{ id: string }, unknown>({
      name: 'resend',
      summary: 'Send a message again, as it was written',
      access: ['admin'],
      routes: ['POST /notifications/:id/resend'],
      input: z.strictObject({ id: z.string().describe('The id of the message.') }),
      output: NotificationEntry,
      notes: { status: 201 },
      async handle({ id }, call, data) {
        const found = await entryOf(id, ledger, data.reader, ONE)
        if (found['status'] === 'pending')
          throw errors.CONFLICT({
            message: `The message '${id}' is still to be sent: send it again once it was sent or has failed`,
          })
        const again = (writes: Writes) => resend(found, data.model, writes, parts)
        const row = await data.write(call, again, onceOf(call, 'notifications.resend', id))
        return Reply.created(await ledger.present(row, ledgerReader(data, call)))
      },
    }),
  ],
  openapi: {
    operations: {
      resend: {
        description:
          'Queues the words as they were written, under an id of their own; `resendOf` names the message that they were sent with first.',
        answers: { description: 'The new message', data: { $ref: `#/components/schemas/${SCHEMA}` } },
        headers: ['Idempotency-Key'],
        failures: [404, 409, 422],
      },
    },
  },
})
