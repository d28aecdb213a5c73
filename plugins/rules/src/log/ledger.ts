import type { Ledger, LedgerReader } from '@svc/automation/contract'
import type { Site } from '@svc/domain/contract'
import type { Row, Table } from '@svc/store/contract'
import { z } from 'zod'
import { ACTIONS, SEVERITIES } from '../definition.ts'
import { OUTCOMES } from '../firing/firing.ts'
import { type TellSaid, tellsSaid } from './said.ts'
import { LOG } from './table.ts'

/** An entry of the log, as it is shown. */
const Entry = z.object({
  id: z.string().describe('Its id.'),
  rule: z.string().describe('The name of the rule.'),
  resource: z.string().describe('The resource of the record.'),
  recordId: z
    .union([z.string(), z.number()])
    .nullable()
    .describe('The key of the record; null of a create that was refused.'),
  action: z.enum(ACTIONS).describe('What the rule does where it fires.'),
  outcome: z
    .enum(OUTCOMES)
    .describe('What came of it; undecided: nobody could say whether it should refuse.'),
  severity: z.enum(SEVERITIES).describe('How grave it is.'),
  regulation: z.string().nullable().describe('The law or policy behind the rule.'),
  group: z.string().nullable().describe('The label of the rule.'),
  message: z.string().describe('What was said, filled with what you may read.'),
  messageData: z.record(z.string(), z.json()).describe('The values beside it that you may read.'),
  op: z.enum(['create', 'update', 'delete']).describe('What the write was.'),
  transition: z.string().nullable().describe('The transition that it made.'),
  actor: z
    .object({ id: z.string().nullable(), username: z.string().nullable() })
    .describe('In whose name it was written.'),
  requestId: z.string().describe('The id of the request.'),
  at: z.iso.datetime().describe('When it happened.'),
})

/** The log of rules for its readers. */
export function logLedger(table: Table, site: Site): Ledger {
  const tell = tellsSaid(site)
  return {
    table,
    id: LOG.id,
    at: LOG.at,
    filters: {
      rule: { column: LOG.rule, description: 'Only firings of this rule.' },
      resource: { column: LOG.resource, description: 'Only of records of this resource.' },
      recordId: { column: LOG.recordId, description: 'Only of this record.' },
      outcome: { column: LOG.outcome, description: 'Only what came out so.', values: OUTCOMES },
      severity: { column: LOG.severity, description: 'Only what is so grave.', values: SEVERITIES },
      regulation: { column: LOG.regulation, description: 'Only of rules with this regulation.' },
      group: { column: LOG.group, description: 'Only of rules with this label.' },
    },
    entry: Entry,
    present: (row, reader) => present(row, reader, tell),
  }
}

async function present(row: Row, reader: LedgerReader, tell: TellSaid): Promise<Row> {
  const { said = null, recordId, ...entry } = row
  const [rule, resource] = [String(row['rule']), String(row['resource'])]
  const { text, values } = await tell({ rule, resource, said }, reader)
  const isNumber = reader.access(resource)?.resource.key.column?.kind === 'integer' && recordId !== null
  return {
    ...entry,
    recordId: isNumber ? Number(recordId) : (recordId ?? null),
    message: text,
    messageData: values,
  }
}
