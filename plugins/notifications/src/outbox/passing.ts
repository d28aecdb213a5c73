import { callerOf } from '@svc/auth/contract'
import { passOver, passOverKept } from '@svc/automation/contract'
import { ANYBODY, type Model, recordShape, type Resource } from '@svc/domain/contract'
import type { Work } from '@svc/jobs/contract'
import type { AppError } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { entryIs, type Kept, type Opened } from './entries.ts'
import { amongRecords, openFacts } from './kept-facts.ts'
import { openSpeech } from './kept-speech.ts'
import type { OpenDomain, SendParts } from './parts.ts'
import { sourceOf, textIn } from './present.ts'
import { sealingOf } from './sealing.ts'
import { tablesOf } from './tables.ts'
import { openTold } from './told.ts'

/** What is left of a message once its turn has come: all of it, nothing, or that of some records of a batch, by their places. */
export type Left =
  | { readonly kind: 'all' }
  | { readonly kind: 'nothing'; readonly why: AppError }
  | { readonly kind: 'some'; readonly places: readonly number[]; readonly why: AppError }

const ALL: Left = Object.freeze({ kind: 'all' })

/** Asks whether the records that a message speaks of are passed over by now. */
export async function leftOf(
  { entry, raised }: Opened,
  { data: { model, reader } }: OpenDomain,
  { log }: Pick<SendParts, 'log'>,
): Promise<Left> {
  const by = sourceOf(entry)
  const name = textIn(entry, 'resource')
  const recordId = textIn(entry, 'recordId')
  if (recordId !== null) {
    const why = await passOverKept({ by, resource: name, recordId }, model, reader, log)
    return why === undefined ? ALL : { kind: 'nothing', why }
  }
  const resource = batchedIn(raised, model)
  const records = resource && raised.facts !== null ? recordsIn(raised.facts, resource) : []
  const told = placesOf(entry) ?? records.map((_, place) => place)
  const places: number[] = []
  let kept: AppError | undefined
  for (const place of told) {
    const key = records[place] ?? null
    const why = resource && (await passOver({ by, resource, key }, reader, log))
    if (why === undefined) places.push(place)
    else kept = why
  }
  if (kept === undefined) return ALL
  return places.length === 0 ? { kind: 'nothing', why: kept } : { kind: 'some', places, why: kept }
}

/** The resource of the records of a batch; undefined where it is about no records, or about such as are no resource's any more. */
function batchedIn({ written }: Kept, model: Model): Resource | undefined {
  const shape = openSpeech(written.speech, model)?.variables?.get('records')
  if (typeof shape !== 'object' || shape.kind !== 'list') return undefined
  const { items } = shape
  if (typeof items !== 'object' || items.kind !== 'object') return undefined
  return [...model.resources.values()].find((one) => recordShape(one).source === items.source)
}

/** The keys of the records of a batch, in its order. */
function recordsIn(facts: unknown, resource: Resource): readonly Value[] {
  const records = openFacts(facts, { resource, moment: 'read' }).variables?.['records']
  if (!Array.isArray(records)) return []
  return records.map((one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) ? (one[resource.key.name] ?? null) : null,
  )
}

/** The places of the records of a batch that an entry speaks of; undefined: all. */
export function placesOf(entry: Row): readonly number[] | undefined {
  const records = entry['records']
  return Array.isArray(records) ? records.map(Number) : undefined
}

/**
 * Says a message anew, of those records of its batch alone that are left, for its reader, and puts it behind the others;
 * false where its texts mean nothing any more.
 */
export async function sayAnew(
  { entry, raised }: Opened,
  places: readonly number[],
  work: Work,
  { site, data: { model, reader } }: OpenDomain,
  { accounts, sending }: Pick<SendParts, 'accounts' | 'sending'>,
): Promise<boolean> {
  const told = openTold(raised, site, reader)
  if (told === undefined) return false
  const account = textIn(entry, 'account')
  const found = account === null ? undefined : await accounts?.find(account)
  const facts = amongRecords(told.facts, places)
  const said = told.words.fill(await told.showingTo(found === undefined ? ANYBODY : callerOf(found), facts))
  const { seal } = sealingOf(model)
  const set: Row = { records: [...places], subject: seal(said.subject), body: seal(said.body) }
  const id = String(entry['id'])
  await work.commit(async (transaction) => {
    await transaction.update({ table: tablesOf(model.name).entries, set, where: entryIs(id) })
    await sending().put(transaction, { domain: model.name, id })
  })
  return true
}
