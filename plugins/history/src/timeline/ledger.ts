import { among, interpolate } from '@svc/expression/contract'
import {
  type Alteration,
  type Change,
  evaluationOf,
  eventOf,
  type Former,
  type Model,
  type Resource,
  type Text,
  workOutAll,
} from '@svc/domain/contract'
import { column, type Column, type Row, type Table, type Transaction, type Value } from '@svc/store/contract'
import { renamed } from '../readable.ts'
import { type Defined, isSealed, mapValues, nameNow, type Sealing, sealingOf } from '../sealed.ts'
import type { History, TimelineEntry } from '../contract.ts'
import { ledgerName, recordIdOf, timedTable } from '../ledger.ts'
import { VERSION } from '../versions/ledger.ts'
import type { TimelineEvent } from './event.ts'
import { recordAlteration } from './alteration.ts'
import { happens } from './moment.ts'
import { blankEntry, resealSpoken, spokenEntry } from './spoken.ts'

/** Where the timeline of a resource's records is kept. */
export interface TimelineLedger {
  readonly resource: Resource
  readonly model: Model
  readonly events: readonly TimelineEvent[]
  readonly table: Table
  readonly recordId: Column
  /** Puts on record what a change brings about, and answers its names; `version` is the one that the change has kept. */
  record(change: Change, transaction: Transaction, version: number | undefined): Promise<readonly string[]>
  add: History['add']
  tell: History['tell']
  /** Puts a change of columns on record. */
  recordAlteration(alteration: Alteration, transaction: Transaction): Promise<void>
}

export const EVENT: Column = column('event', 'text')
/** The texts of an event before values are put in. */
export interface Template {
  readonly label: Text
  readonly detail: Text
}

/** Whether everybody who sees the record saw the event when it was written. */
export const OPEN: Column = column('open', 'boolean')

export const ACTOR: Column = column('actor', 'json')
export const DATA: Column = column('data', 'json')

const COLUMNS = [
  EVENT,
  column('label', 'text'),
  column('detail', 'text'),
  column('icon', 'text'),
  column('severity', 'text'),
  OPEN,
  ACTOR,
  DATA,
  // The fields that values of `data` were taken from: who may not read them does not see them.
  column('sources', 'json'),
  // The texts before values were put in, for other languages and for those who see less; as text, since the order of
  // the locales counts.
  column('template', 'text'),
  { ...VERSION, nullable: true },
]

/** Makes the timeline of a resource. */
export function createTimelineLedger(
  resource: Resource,
  model: Model,
  events: readonly TimelineEvent[],
): TimelineLedger {
  const recordId = recordIdOf(resource)
  const table = timedTable(ledgerName(resource, 'history'), recordId, COLUMNS)
  return {
    resource,
    model,
    events,
    table,
    recordId,
    async record(change, transaction, version) {
      const due = events.filter((event) => happens(event, change))
      if (due.length === 0) return []
      const record = workOutAll((change.record ?? change.previous)!, change.access)
      const conditions = due.flatMap(({ condition }) => condition ?? [])
      const asked = conditions.length === 0 ? undefined : evaluationOf(change, conditions, transaction)
      const context = asked instanceof Promise ? await asked : asked
      const written = due
        .filter(({ condition }) => !condition || !context || condition.holds(context))
        .map((event) => ({ event, entry: entryOf(event, change, record, version) }))
      if (written.length === 0) return []
      for (const { event, entry } of written)
        await transaction.append({ table, values: atRest(event, entry, { resource, model }) })
      for (const { event, entry } of written) change.afterCommit.push(() => announce(event, entry, change))
      return written.map(({ event }) => event.name)
    },
    recordAlteration: (alteration, transaction) => recordAlteration(alteration, events, table, transaction),
    async add(transaction, change, entry) {
      await transaction.append({ table, values: addedEntry(entry, change, model) })
    },
    async tell(transaction, change, entry) {
      await transaction.insert({ table, values: spokenEntry(entry, change, model) })
    },
  }
}

function entryOf(event: TimelineEvent, change: Change, record: Row, version: number | undefined): Row {
  const { caller, key, at, runtime, resource } = change
  const { data, sources } = captured(event, change, record)
  const actor = {
    id: caller.id,
    username: caller.username,
    ...(event.showsEmail && { email: caller.email }),
  }
  const fill = (text: Text) => interpolate(textOf(text, resource), among(valuesOf(data, actor)))
  return {
    id: runtime.newId(),
    recordId: key!,
    timestamp: at,
    event: event.name,
    label: fill(event.label),
    detail: fill(event.detail),
    icon: event.icon,
    severity: event.severity,
    open: event.roles.length === 0,
    actor,
    data,
    sources,
    template: JSON.stringify({
      label: inAll(event.label, resource),
      detail: inAll(event.detail, resource),
    } satisfies Template),
    version: event.snapshot ? (version ?? null) : null,
  }
}

/** An entry of somebody else's. It may hold values of sealed fields: its texts are put together when they are read. */
function addedEntry(
  { event, label, detail = '', severity, values, sources }: TimelineEntry,
  change: Change,
  model: Model,
): Row {
  return {
    ...blankEntry(event, severity, change),
    data: sealedBy(values ?? {}, sources ?? {}, change, model),
    sources: { ...sources },
    template: JSON.stringify({ label, detail } satisfies Template),
  }
}

/** Values that are made of a sealed field are kept as that is. */
function sealedBy(
  values: Values,
  sources: NonNullable<TimelineEntry['sources']>,
  { resource, key }: Change,
  model: Model,
): Values {
  const { seal } = sealingOf(key, resource, model)
  return mapValues(values, (name, value) => {
    const field = sources[name]?.find((one) => isSealed(one, resource, model))
    return field === undefined ? value : seal(field, value, name)
  })
}

/** An entry as it is kept. Texts that show what is sealed are put together when they are read. */
function atRest(
  { label, detail }: TimelineEvent,
  entry: Row,
  { resource, model }: Pick<TimelineLedger, 'resource' | 'model'>,
): Row {
  const [data, sources] = [valuesIn(entry, 'data'), valuesIn(entry, 'sources')]
  const sealed = (name: string) => isSealed(String(sources[name]), resource, model)
  const names = Object.keys(data).filter(sealed)
  if (names.length === 0) return entry
  const clear = Object.fromEntries(Object.entries(data).filter(([name]) => !sealed(name)))
  const fill = (text: Text) =>
    interpolate(textOf(text, resource), among(valuesOf(clear, valuesIn(entry, 'actor'))))
  const { seal } = sealingOf(entry['recordId'], resource, model)
  const kept = names.map((name) => [name, seal(String(sources[name]), data[name] ?? null, name)])
  return {
    ...entry,
    label: fill(label),
    detail: fill(detail),
    data: { ...data, ...Object.fromEntries(kept) },
  }
}

/** The values of an entry, opened. */
export function openEvent(row: Row, { resource, model }: Defined): Row {
  const [data, sources] = [valuesIn(row, 'data'), valuesIn(row, 'sources')]
  const names = renamed(resource)
  const { open } = sealingOf(row['recordId'], resource, model)
  return {
    data: mapValues(data, (as, kept) => {
      const of = sourcesIn(sources[as]).map((one) => names.get(one) ?? one)
      const field = of.find((one) => isSealed(one, resource, model)) ?? of[0] ?? as
      return open(field, kept, as)
    }),
  }
}

/** An entry as another definition keeps it: its texts never hold what is sealed. */
export function resealEvent(row: Row, from: Former, to: Defined): Row {
  const [data, was, actor] = [valuesIn(row, 'data'), valuesIn(row, 'sources'), valuesIn(row, 'actor')]
  const sources = mapValues(was, (_, kept) => renamedSources(kept, from))
  const written: unknown = JSON.parse(String(row['template']))
  const template = resealSpoken(written, from.model, to.model)
  if (template !== undefined) return { template, sources }
  const [before, now] = [from, to].map((one) => sealingOf(row['recordId'], one.resource, one.model)) as [
    Sealing,
    Sealing,
  ]
  const sealedIn = (name: string, by: Values, { resource, model }: Defined) => {
    const names = renamed(resource)
    const of = sourcesIn(by[name]).map((one) => names.get(one) ?? one)
    return of.find((one) => isSealed(one, resource, model))
  }
  const clear: Record<string, Value> = {}
  const kept = mapValues(data, (name, value) => {
    const [by, is] = [sealedIn(name, was, from), sealedIn(name, sources, to)]
    const opened = by === undefined ? value : before.open(by, value, name)
    if (is === undefined) return (clear[name] = opened)
    return now.seal(is, opened, name)
  })
  const { label, detail } = written as Template
  const fill = (text: Text) => interpolate(textOf(text, to.resource), among(valuesOf(clear, actor)))
  const texts = row['label'] === '' ? {} : { label: fill(label), detail: fill(detail) }
  return { data: kept, sources, ...texts }
}

const renamedSources = (kept: Value, from: Former): Value => {
  const rename = (one: Value) => (typeof one === 'string' ? nameNow(one, from) : one)
  return Array.isArray(kept) ? kept.map(rename) : rename(kept)
}

/** The fields that a value was taken from, or made of, by the names that they had. */
export function sourcesIn(kept: Value | undefined): readonly string[] {
  const all = Array.isArray(kept) ? kept : [kept]
  return all.filter((name) => typeof name === 'string')
}

export const valuesIn = (row: Row, key: string): Values => Object.fromEntries(Object.entries(row[key] ?? {}))

/** The text in the domain's default locale: nobody reads it yet. */
const textOf = (text: Text, { localizer }: Resource): string => localizer.text(text, localizer.locale()) ?? ''

/** The text in every locale that has it now, for readers of later days. */
const inAll = (text: Text, { localizer }: Resource): Text => localizer.wordings?.(text) ?? text

/** What placeholders stand for. */
export const valuesOf = (data: Values, actor: Values): Values => ({
  'user.id': actor['id'] ?? null,
  'user.name': actor['username'] ?? null,
  'user.email': actor['email'] ?? null,
  ...data,
})
type Values = Readonly<Record<string, Value>>

/** The values that an event keeps, and the field that each was taken from. Declared ones win over automatic ones. */
function captured(
  event: TimelineEvent,
  { previous, caller, resource, transition }: Change,
  record: Row,
): { readonly data: Values; readonly sources: Readonly<Record<string, string>> } {
  const data: Record<string, Value> = { actorId: caller.id, actorName: caller.username }
  const sources: Record<string, string> = {}
  const take = (key: string, field: string, from: Row | undefined) => {
    data[key] = from?.[field] ?? null
    sources[key] = field
  }
  if (event.on === 'fieldChange' && event.field !== undefined) {
    take('previousValue', event.field, previous)
    take('newValue', event.field, record)
  }
  if (transition !== undefined && event.on === 'transition' && resource.stateMachine) {
    take('from', resource.stateMachine.field, previous)
    take('to', resource.stateMachine.field, record)
  }
  for (const name of event.capture) take(name, name, record)
  return { data, sources }
}

/** Tells the bus under `svc.<domain>.<resource>.history.<event>`. */
function announce({ name }: TimelineEvent, entry: Row, change: Change): void {
  const { open: _, sources: __, template: ___, ...shown } = entry
  change.runtime.bus.emit(`${change.resource.actionPrefix}history.${name}`, {
    ...eventOf(change),
    action: 'history',
    event: name,
    entry: shown,
  })
}
