import {
  entryOf,
  type Ledger,
  type LedgerReader,
  ledgerReader,
  ledgerWindow,
  type Window,
  windows,
} from '@svc/automation/contract'
import { type Data, domainAction, type DomainAction } from '@svc/domain/contract'
import { type Call, Reply } from '@svc/kernel'
import type { Condition, Row } from '@svc/store/contract'
import { z } from 'zod'
import type { Integration } from '../integration.ts'
import { claim, notPending, retryAll, runOfLetter } from '../run/again.ts'
import { doByHand } from '../run/hand.ts'
import { moment } from '../run/keep.ts'
import { openWork } from '../run/kept-work.ts'
import { letterIs } from '../run/letters.ts'
import { shownSafely } from '../run/logged.ts'
import type { Means, Setting } from '../run/means.ts'
import { LETTER, LETTER_STATUSES } from '../tables/dead-letters.ts'
import { integrationNamed, withinIntegration } from './named.ts'
import { answeredOnce } from './once.ts'

const LetterAnswer = z.object({
  id: z.string().describe('Its id.'),
  integration: z.string().describe('The name of the integration.'),
  operation: z.string().nullable().describe('The operation that failed.'),
  direction: z.enum(['outbound', 'inbound']).describe('Whether it was to be sent, or came in.'),
  status: z.enum(LETTER_STATUSES).describe('What has become of it.'),
  resource: z.string().nullable().describe('The resource of its record.'),
  recordId: z.string().nullable().describe('The key of its record.'),
  runId: z.string().describe('The run that failed.'),
  request: z
    .json()
    .describe(
      'What was to be sent, without secrets; null where it could not be made, and for those who may not manage.',
    ),
  payload: z.json().describe('What has come in; null for those who may not manage.'),
  error: z
    .object({ code: z.string().describe('The code.'), message: z.string().describe('What went wrong.') })
    .describe('Why it failed last.'),
  attempts: z.int().describe('How often it was sent, retries included.'),
  retries: z.int().describe('How often it was retried in vain.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

const At = z.strictObject({
  name: z.string().describe('The name of the integration.'),
  id: z.string().describe('The id of the dead letter.'),
})
const Retry = At.extend({
  rebuild: z.boolean().default(false).describe('Whether it is mapped anew, under a new key.'),
})
const RetryAll = z.strictObject({
  name: z.string().describe('The name of the integration.'),
  ids: z
    .array(z.string())
    .min(1)
    .max(1000)
    .optional()
    .describe('Those to retry: all that are pending unless said.'),
})

/** What has failed for good, and what becomes of it. */
export function letterWindow(setting: Setting): Window {
  const ledger = letterLedger(setting)
  const within = withinIntegration(setting, 'view', LETTER.integration)
  const looking = ledgerWindow({
    ledger,
    schema: 'DeadLetter',
    words: ['a dead letter', 'dead letters'],
    list: { name: 'deadletter', path: '/integrations/:name/deadletter' },
    get: 'letter',
    readers: 'record',
    within,
  })
  const found = async (name: string, id: string, call: Call, { reader }: Data) => {
    const integration = integrationNamed(name, setting.integrations)
    integration.manage.assert(call.caller, setting.parts.env.now)
    const mine: Condition = { op: 'eq', column: LETTER.integration, value: integration.name }
    const row = await entryOf(id, ledger, reader, 'a dead letter', [mine])
    return { integration, id: String(row['id']) }
  }
  const shown = async (id: string, call: Call, data: Data) =>
    ledger.present(await entryOf(id, ledger, data.reader, 'a dead letter'), ledgerReader(data, call))
  const retried = async (
    integration: Integration,
    id: string,
    isAnew: boolean,
    call: Call,
    data: Data,
  ): Promise<Row> => {
    const means: Means = { ...setting, data }
    const row = await entryOf(id, ledger, data.reader, 'a dead letter')
    const run = await runOfLetter(row, integration, call, isAnew, means)
    const told = await doByHand(
      run,
      {
        isAsync: false,
        signal: NEVER,
        first: (transaction) => claim(id, String(row['status']), run, transaction, setting),
      },
      means,
    )
    if ('over' in told && told.over.error) throw told.over.error
    return shown(id, call, data)
  }
  const discarded = async (id: string, call: Call, data: Data): Promise<Row> => {
    const { status } = await entryOf(id, ledger, data.reader, 'a dead letter')
    const { count } = await setting.parts.store.transaction((transaction) =>
      transaction.update({
        table: setting.tables.letters,
        set: { status: 'discarded', updatedAt: moment(setting.parts.env.now()) },
        where: {
          op: 'and',
          of: [letterIs(id), { op: 'in', column: LETTER.status, values: ['pending', 'exhausted'] }],
        },
      }),
    )
    if (count === 0) throw notPending(String(status))
    return shown(id, call, data)
  }
  const actions = [
    domainAction({
      name: 'retry',
      summary: 'Try a dead letter again',
      access: 'record',
      routes: ['POST /integrations/:name/deadletter/:id/retry'],
      input: Retry,
      output: LetterAnswer,
      async handle({ name, id: asked, rebuild }, call, data) {
        const { integration, id } = await found(name, asked, call, data)
        const done = async () => new Reply({ data: await retried(integration, id, rebuild, call, data) })
        return answeredOnce({ action: 'retry', path: [name, id], sent: { rebuild } }, setting, {
          call,
          data,
          done,
        })
      },
    }),
    domainAction({
      name: 'discard',
      summary: 'Give a dead letter up',
      access: 'record',
      routes: ['POST /integrations/:name/deadletter/:id/discard'],
      input: At,
      output: LetterAnswer,
      async handle({ name, id: asked }, call, data) {
        const { id } = await found(name, asked, call, data)
        const done = async () => new Reply({ data: await discarded(id, call, data) })
        return answeredOnce({ action: 'discard', path: [name, id], sent: {} }, setting, { call, data, done })
      },
    }),
    domainAction({
      name: 'retry-all',
      summary: 'Try several dead letters again, or all that are pending',
      access: 'record',
      routes: ['POST /integrations/:name/deadletter/retry'],
      input: RetryAll,
      output: z.object({ queued: z.int().describe('How many are tried again.') }),
      notes: { status: 202 },
      async handle({ name, ids }, call, data) {
        const integration = integrationNamed(name, setting.integrations)
        integration.manage.assert(call.caller, setting.parts.env.now)
        const means: Means = { ...setting, data }
        const done = async () =>
          new Reply({ status: 202, data: { queued: await retryAll(integration, ids, call, means) } })
        const sent = { ids: ids ?? null }
        return answeredOnce({ action: 'retry-all', path: [name], sent }, setting, { call, data, done })
      },
    }),
  ] as readonly DomainAction[]
  const letter = { description: 'The dead letter', data: { $ref: '#/components/schemas/DeadLetter' } }
  return windows(
    {
      actions: actions.slice(2),
      openapi: {
        operations: { 'retry-all': { headers: ['Idempotency-Key'], failures: [403, 404] } },
      },
    },
    looking,
    {
      actions: actions.slice(0, 2),
      openapi: {
        operations: {
          retry: {
            description:
              'Sends again what was made, under the same key. Of several at once one is done, the others are 409.',
            headers: ['Idempotency-Key'],
            answers: letter,
            failures: [403, 404, 409, 422, 429, 502, 503, 504],
          },
          discard: {
            description: 'It is not retried any more.',
            headers: ['Idempotency-Key'],
            answers: letter,
            failures: [403, 404, 409],
          },
        },
      },
    },
  )
}

/** A run goes on, whoever has gone. */
const NEVER = new AbortController().signal

function letterLedger(setting: Setting): Ledger {
  const { tables, integrations, parts, model } = setting
  const request = (row: Row, { call }: LedgerReader) => {
    const integration = integrations.get(String(row['integration']))
    if (integration?.manage.admits(call.caller, parts.env.now) !== true) return null
    const resource = model.resources.get(String(row['resource']))
    const built = openWork(row['work'], resource, parts.kept)?.built
    if (built === undefined) return null
    return shownSafely(built.shown, integration.log, parts.redaction)
  }
  const names = Object.keys(LetterAnswer.shape)
  return {
    table: tables.letters,
    id: LETTER.id,
    at: LETTER.createdAt,
    filters: {
      status: {
        column: LETTER.status,
        description: 'Only those of this status.',
        values: LETTER_STATUSES,
      },
      operation: { column: LETTER.operation, description: 'Only of this operation.' },
      recordId: { column: LETTER.recordId, description: 'Only about the record with this key.' },
    },
    entry: LetterAnswer,
    present(row, reader): Row {
      const shown = request(row, reader)
      const isInbound = row['direction'] === 'inbound'
      return {
        ...Object.fromEntries(names.map((name) => [name, row[name] ?? null])),
        request: isInbound ? null : (shown as Row | null),
        payload: isInbound ? (shown?.body ?? null) : null,
      }
    },
  }
}
