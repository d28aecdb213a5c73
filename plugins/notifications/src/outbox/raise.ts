import type { Model } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import { ANONYMOUS, type Environment } from '@svc/kernel'
import type { JobKind } from '@svc/jobs/contract'
import type { Row, Transaction, Value } from '@svc/store/contract'
import { settingsValue } from '../compile/channels.ts'
import type { Plan } from '../compile/plan.ts'
import type { Raised } from '../contract.ts'
import { keepSpeech } from './kept-speech.ts'
import { keepContext, type KeptNamed } from './raised.ts'
import { MAX_RECIPIENTS, namesIn } from './recipients.ts'
import { sealingOf } from './sealing.ts'
import { tablesOf } from './tables.ts'

/** A message that is to be sent, as its job names it. */
export interface Sending {
  readonly domain: string
  readonly id: string
}

export interface RaiseParts {
  readonly env: Environment
  readonly newId: () => string
  readonly sending: JobKind<Sending>
}

/** Writes what was raised, an entry for each channel, and a job for each entry; answers the ids of the entries. */
export async function raise(
  plan: Plan,
  model: Model,
  raised: Raised,
  transaction: Transaction,
  { env, newId, sending }: RaiseParts,
): Promise<readonly string[]> {
  const { entries, raised: table } = tablesOf(plan.domain)
  const { seal } = sealingOf(model)
  const at = new Date(env.now()).toISOString()
  const said = plan.words.fill(raised.context, ANONYMOUS)
  const about = aboutOf(raised)
  const id = newId()
  await transaction.insert({
    table,
    values: {
      id,
      at,
      written: writtenOf(plan),
      context: seal(keepContext(raised.context, { batch: raised.batch, said })),
      named: namedBy(plan, raised),
      ...about,
    },
  })
  const { source } = raised
  const rows = plan.channels.map(({ channel, settings }, place): Row & { readonly id: string } => ({
    id: newId(),
    raised: id,
    name: plan.name,
    channel: channel.type,
    place,
    status: 'pending',
    recipient: channel.label?.(settings) ?? null,
    account: null,
    subject: seal(said.subject),
    body: seal(said.body),
    records: null,
    sourceKind: source.kind,
    source: source.name,
    sourceStep: source.step ?? null,
    sourceId: source.id ?? null,
    ...about,
    attempts: 0,
    nextAttemptAt: at,
    createdAt: at,
    sentAt: null,
    endedAt: null,
    responseStatus: null,
    errorCode: null,
    errorMessage: null,
    resendOf: null,
  }))
  await transaction.insertRows({ table: entries, rows })
  for (const row of rows) await sending.put(transaction, { domain: plan.domain, id: row.id })
  return rows.map((row) => row.id)
}

const aboutOf = ({ resource, recordId }: Raised) => ({
  resource: resource?.name ?? null,
  recordId: recordId === null ? null : String(recordId),
})

const writtenOf = ({ channels, words, speech }: Plan): Value =>
  ({
    channels: channels.map(({ channel, settings }) => ({
      type: channel.type,
      settings: settingsValue(settings),
    })),
    words: { subject: words.written.subject, body: words.written.body },
    speech: keepSpeech(speech),
  }) satisfies Record<string, Value>

/** Whom the recipients' fields name: of a batch each record those by its own. More than are allowed need no counting. */
function namedBy({ recipients: { roles, fields } }: Plan, { context, batch }: Raised): Value {
  const found = new Map<string, number[] | null>()
  const add = (contextOfOne: EvaluationContext, place: number | null) => {
    for (const field of fields)
      for (const value of namesIn(field.evaluate(contextOfOne))) {
        const places = found.get(value)
        if (place === null || places === null) found.set(value, null)
        else found.set(value, [...new Set([...(places ?? []), place])])
      }
  }
  if (batch === undefined) add(context, null)
  else
    for (const [place, { record, neighbours }] of batch.entries())
      add({ ...context, record, neighbours }, place)
  const values = [...found].slice(0, 2 * MAX_RECIPIENTS).map(([value, records]) => ({ value, records }))
  return { roles: [...roles], values } satisfies KeptNamed
}
