import type { Ledger, LedgerReader } from '@svc/automation/contract'
import type { Row, Table } from '@svc/store/contract'
import { z } from 'zod'
import { FIRING, FIRING_STATUSES } from '../tables/firings.ts'

const moment = z.iso.datetime()

/** A firing as answers show it. */
export const FiringAnswer = z.object({
  id: z.string().describe('Its id.'),
  schedule: z.string().describe('The name of the schedule.'),
  action: z.string().describe('What was done, or was to be.'),
  resource: z.string().nullable().describe('The resource of its records.'),
  recordId: z
    .string()
    .nullable()
    .describe('The key of the record; null of a batch, and where there is none.'),
  tag: z
    .string()
    .nullable()
    .describe(
      'What the record has fired for; it does not fire again for that. Null where you may not read what it is made of.',
    ),
  run: z.string().nullable().describe('The run by hand that it belongs to.'),
  plannedAt: moment.describe('The moment at which it was due.'),
  firedAt: moment.nullable().describe('When it was done, or failed; null as long as it is tried.'),
  status: z.enum(FIRING_STATUSES).describe('What has become of it.'),
  attempts: z.int().describe('How often it was tried.'),
  count: z.int().describe('How many records it is about; 1 where it is no batch.'),
  result: z
    .object({
      recordId: z.json().describe('The key of the record that was written.'),
      instanceId: z.string().nullable().describe('The workflow instance that was started.'),
      documentId: z.string().nullable().describe('The document that was made.'),
      notificationIds: z.array(z.string()).describe('The entries of the notifications that were raised.'),
    })
    .nullable()
    .describe('What came of it; null where nothing was done.'),
  error: z
    .object({ code: z.string().describe('The code.'), message: z.string().describe('What went wrong.') })
    .nullable()
    .describe('Why the last try failed.'),
  errors: z
    .array(
      z.object({
        recordId: z.string().describe('The key of the record.'),
        error_code: z.string().describe('The code.'),
        error_message: z.string().describe('What went wrong.'),
      }),
    )
    .describe('Of a batch: the records that could not be written.'),
})

const SHOWN = Object.keys(FiringAnswer.shape)

/** A firing as it is shown, of its row. */
export const presentFiring = (row: Row, reader: Pick<LedgerReader, 'sees'>): Row => ({
  ...wholeFiring(row),
  tag: reader.sees(row['tagVeil']) ? (row['tag'] ?? null) : null,
})

/** A firing as the bus is told of it. */
export const wholeFiring = (row: Row): Row =>
  Object.fromEntries(SHOWN.map((name) => [name, row[name] ?? (name === 'errors' ? [] : null)]))

/** The ledger of the firings of a domain. */
export const firingLedger = (table: Table): Ledger => ({
  table,
  id: FIRING.id,
  at: FIRING.at,
  filters: {
    schedule: { column: FIRING.schedule, description: 'Only firings of this schedule.' },
    recordId: { column: FIRING.recordId, description: 'Only firings for the record with this key.' },
    tag: { column: FIRING.tag, veil: FIRING.tagVeil, description: 'Only firings with this tag.' },
    run: { column: FIRING.run, description: 'Only firings of this run.' },
    status: { column: FIRING.status, description: 'Only firings of this status.', values: FIRING_STATUSES },
  },
  entry: FiringAnswer,
  present: presentFiring,
})
