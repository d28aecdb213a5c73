import { type Ledger, type LedgerReader, ledgerWindow, type Window } from '@svc/automation/contract'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import { openBody } from '../run/logged.ts'
import type { Setting } from '../run/means.ts'
import { ENTRY } from '../tables/log.ts'
import { withinIntegration } from './named.ts'

const EntryAnswer = z.object({
  id: z.string().describe('Its id.'),
  integration: z.string().describe('The name of the integration.'),
  operation: z.string().nullable().describe('The operation; null of a message that reached none.'),
  direction: z.enum(['outbound', 'inbound']).describe('Whether it was sent, or came in.'),
  method: z.string().nullable().describe('How it was sent.'),
  url: z.string().nullable().describe('Where to, without secrets.'),
  requestBody: z
    .json()
    .describe('What was sent, or came in; null for those who may not manage the integration.'),
  responseStatus: z.int().nullable().describe('The status that was answered.'),
  responseBody: z.json().describe('What was answered; null for those who may not manage the integration.'),
  durationMs: z.int().nullable().describe('How long it took, in milliseconds.'),
  success: z.boolean().describe('Whether it went well.'),
  errorMessage: z.string().nullable().describe('Why it did not.'),
  attemptNumber: z.int().describe('Which attempt of its run it was.'),
  triggeredBy: z
    .string()
    .describe('What set it off: manual:<username>, event:<Resource>.<event>, retry:<username>, webhook.'),
  createdAt: z.iso.datetime().describe('When it was over.'),
  runId: z.string().nullable().describe('The run that it belongs to.'),
  resource: z.string().nullable().describe('The resource of its record.'),
  recordId: z.string().nullable().describe('The key of its record.'),
})

const SHOWN = Object.keys(EntryAnswer.shape)

/** What is told of all that was sent, and came in. */
export function logWindow(setting: Setting): Window {
  const { tables, integrations, model, parts } = setting
  const present = (row: Row, { call }: LedgerReader): Row => {
    const isManager = integrations.get(String(row['integration']))?.manage.admits(call.caller, parts.env.now)
    const body = (name: string) => (isManager ? openBody(row[name], model) : null)
    return {
      ...Object.fromEntries(SHOWN.map((name) => [name, row[name] ?? null])),
      requestBody: body('requestBody'),
      responseBody: body('responseBody'),
    }
  }
  const ledger: Ledger = {
    table: tables.log,
    id: ENTRY.id,
    at: ENTRY.createdAt,
    filters: {
      operation: { column: ENTRY.operation, description: 'Only of this operation.' },
      direction: {
        column: ENTRY.direction,
        description: 'Only what was sent, or what came in.',
        values: ['outbound', 'inbound'],
      },
      success: {
        column: ENTRY.success,
        description: 'Only what went well, or what did not.',
        values: ['true', 'false'],
      },
      recordId: { column: ENTRY.recordId, description: 'Only about the record with this key.' },
      runId: { column: ENTRY.runId, description: 'Only of this run.' },
    },
    entry: EntryAnswer,
    present,
  }
  return ledgerWindow({
    ledger,
    schema: 'IntegrationLogEntry',
    words: ['an entry', 'attempts and messages'],
    list: { name: 'log', path: '/integrations/:name/log' },
    get: 'entry',
    readers: 'record',
    within: withinIntegration(setting, 'view', ENTRY.integration),
  })
}
