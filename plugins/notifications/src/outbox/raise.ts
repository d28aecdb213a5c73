import { passOver } from '@svc/automation/contract'
import { ANYBODY, madeOf, type Model, showingTo, veilOf } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { JobKind } from '@svc/jobs/contract'
import type { Environment, Logger } from '@svc/kernel'
import type { Row, Transaction, Value } from '@svc/store/contract'
import type { Plan } from '../compile/plan.ts'
import type { Raised } from '../contract.ts'
import type { Said } from '../texts/words.ts'
import { factsOf, keepFacts } from './kept-facts.ts'
import { keepSpeech } from './kept-speech.ts'
import type { KeptNamed, KeptWritten } from './raised.ts'
import { queuedAt } from './queued.ts'
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
  readonly log: Logger
}

/** Writes what was raised, an entry for each channel, and a job for each entry; answers the ids of the entries. */
export async function raise(
  plan: Plan,
  model: Model,
  raised: Raised,
  transaction: Transaction,
  { env, newId, sending, log }: RaiseParts,
): Promise<readonly string[]> {
  if (await isPassedOver(raised, transaction, log)) return []
  const { entries, raised: table } = tablesOf(plan.domain)
  const { seal } = sealingOf(model)
  const facts = factsOf(raised.context, plan.speech)
  const said = plan.words.fill(
    await showingTo(ANYBODY, facts, plan.words.expressions, transaction, { done: ['automate'] }),
  )
  const at = new Date(env.now()).toISOString()
  const id = newId()
  await transaction.insert({
    table,
    values: {
      id,
      at,
      written: writtenOf(plan),
      facts: seal(keepFacts(facts)),
      said: seal({ ...said }),
      named: seal({ ...namedBy(plan, raised, () => env.now()) }),
      enclosure: raised.enclosure ? { ...raised.enclosure } : null,
      ...aboutOf(raised),
    },
  })
  const rows = rowsOf(plan, raised, { id, at, said, newId, seal })
  await transaction.insertRows({ table: entries, rows })
  for (const row of rows) await sending.put(transaction, { domain: plan.domain, id: row.id })
  return rows.map((row) => row.id)
}

/** Whether nothing is told of the record at hand, which the log tells then. */
async function isPassedOver(
  { resource, recordId, source: by }: Raised,
  reader: Transaction,
  log: Logger,
): Promise<boolean> {
  if (resource === undefined) return false
  return (await passOver({ by, resource, key: recordId }, reader, log)) !== undefined
}

interface Written {
  readonly id: string
  readonly at: string
  readonly said: Said
  readonly newId: () => string
  readonly seal: (value: Value) => Value
}

/** An entry for each channel. */
const rowsOf = (
  { name, channels }: Plan,
  raised: Raised,
  { id, at, said, newId, seal }: Written,
): readonly (Row & { readonly id: string })[] =>
  channels.map(({ channel, settings }, place) => ({
    id: newId(),
    raised: id,
    name,
    channel: channel.type,
    place,
    recipient: channel.label?.(settings) ?? null,
    recipientVeil: null,
    account: null,
    subject: seal(said.subject),
    body: seal(said.body),
    records: null,
    sourceKind: raised.source.kind,
    source: raised.source.name,
    sourceStep: raised.source.step ?? null,
    sourceId: raised.source.id ?? null,
    ...aboutOf(raised),
    ...queuedAt(at),
    resendOf: null,
  }))

const aboutOf = ({ resource, recordId }: Raised) => ({
  resource: resource?.name ?? null,
  recordId: recordId === null ? null : String(recordId),
})

function writtenOf({ channels, words, speech }: Plan): Value {
  const kept: KeptWritten = {
    channels: channels.map(({ channel, written }) => ({ type: channel.type, settings: written as never })),
    words: words.written,
    speech: keepSpeech(speech),
  }
  return JSON.parse(JSON.stringify(kept)) as Value
}

/** Whom the recipients' fields name: of a batch each record those by its own. More than are allowed need no counting. */
function namedBy(
  { recipients: { roles, fields }, speech: { resource } }: Plan,
  { context, batch }: Raised,
  now: () => number,
): KeptNamed {
  const found = new Map<string, { readonly places: number[] | null; readonly veil: Value }>()
  const veiled = fields.map((field) => ({ field, veil: veilOf(madeOf([field], resource), now) }))
  const add = (of: EvaluationContext, place: number | null) => {
    for (const { field, veil } of veiled)
      for (const value of namesIn(field.evaluate(of))) {
        const before = found.get(value)
        const places = before === undefined ? [] : before.places
        const all =
          place === null || places === null ? null : places.at(-1) === place ? places : [...places, place]
        found.set(value, { places: all, veil: before === undefined ? veil : before.veil && veil })
      }
  }
  if (batch === undefined) add(context, null)
  else for (const [place, one] of batch.entries()) add({ ...context, ...one }, place)
  const values = [...found]
    .slice(0, 2 * MAX_RECIPIENTS)
    .map(([value, { places, veil }]) => ({ value, records: places, veil }))
  return { roles: [...roles], values }
}
