import {
  type Access,
  type BlockOperation,
  judge,
  type Model,
  type Locale,
  passes,
  type Resource,
  type Site,
  type Subject,
  type Text,
  type Told,
} from '@svc/domain/contract'
import { among, interpolate } from '@svc/expression/contract'
import type { Column, Condition, Row, Value } from '@svc/store/contract'
import { noRecordOf } from './alteration.ts'
import { newestFirst } from '../ledger.ts'
import { mayRead, renamed } from '../readable.ts'
import { isSealed, sealingOf } from '../sealed.ts'
import type { TimelineEvent } from './event.ts'
import { EVENT, OPEN, sourcesIn, type Template, type TimelineLedger, valuesIn, valuesOf } from './ledger.ts'
import { tellsSpoken } from './spoken.ts'

/** Lists what happened, the newest first: to one record, or to all that the caller may list. */
export function historyOperation(ledger: TimelineLedger, site: Site): BlockOperation {
  const spoken = tellsSpoken(ledger.resource, site)
  const { resource, model, table, recordId, events } = ledger
  const names = renamed(resource)
  return {
    name: 'history',
    summary: `List what happened to ${resource.plural}`,
    routes: { 'GET /:id/history': 'get', 'GET /history': 'list' },
    async handle(input, call, records) {
      const subject = await records.about(input, call)
      const event = input.query?.['event']
      const locale = resource.localizer.locale(call.request?.meta('accept-language'))
      const listing = {
        subject: withCollection(subject, resource),
        table,
        recordId,
        where: [visible(ledger, subject), ...(event === undefined ? [] : [isEvent(event)])],
        order: newestFirst(subject.key !== undefined),
        parameters: ['event'],
        present: (row: Row) => {
          const told = spoken(row, call, records.reader)
          return told === undefined
            ? present(row, subject.access, { names, locale, model, events })
            : told.then((words) => presentSpoken(row, words))
        },
      }
      return records.list(listing, input, call)
    },
  }
}

/** What is about no record is told in the history of the collection, and there alone. */
const withCollection = (subject: Subject, resource: Resource): Subject => ({
  ...subject,
  rows(recordId) {
    const about = subject.rows(recordId)
    const ofNone: Condition = { op: 'eq', column: recordId, value: noRecordOf(resource) }
    if (subject.key === undefined) return about.op === 'always' ? about : { op: 'or', of: [about, ofNone] }
    return { op: 'and', of: [about, { op: 'not', of: ofNone }] }
  },
})

const isEvent = (name: string): Condition => ({ op: 'eq', column: EVENT, value: name })

/**
 * The entries that the caller's roles show. The roles are those that the definition says now; of an event that it
 * does not declare any more, entries are shown if everybody saw them.
 */
function visible({ events, resource, recordId }: TimelineLedger, subject: Subject): Condition {
  const judging = subject.access.judging('get')
  const open: string[] = []
  const conditional: Condition[] = []
  for (const { name, roles } of events) {
    const verdict = judge(roles.length === 0 ? ['*'] : roles, judging)
    if (verdict.kind === 'none') continue
    if (verdict.kind === 'all' || (subject.row && passes(verdict, subject.row))) open.push(name)
    else if (subject.key === undefined)
      conditional.push({ op: 'and', of: [isEvent(name), about(resource, recordId, verdict.rows())] })
  }
  const declared: Condition = { op: 'in', column: EVENT, values: events.map(({ name }) => name) }
  const former: Condition = {
    op: 'and',
    of: [
      { op: 'not', of: declared },
      { op: 'eq', column: OPEN, value: true },
    ],
  }
  return { op: 'or', of: [{ op: 'in', column: EVENT, values: open }, ...conditional, former] }
}

const about = ({ table, key }: Resource, recordId: Column, where: Condition): Condition => ({
  op: 'exists',
  table,
  on: [[key.column!, recordId]],
  where,
})

/** In what an entry is shown. */
interface Showing {
  readonly names: ReadonlyMap<string, string>
  readonly locale: Locale
  readonly model: Model
  /** The events of today. */
  readonly events: readonly TimelineEvent[]
}

/** An entry in somebody else's words. */
function presentSpoken(row: Row, { text, values }: Told): Row {
  const actor = valuesIn(row, 'actor')
  return {
    id: row['id']!,
    recordId: row['recordId']!,
    event: row['event']!,
    label: text,
    detail: '',
    icon: row['icon']!,
    severity: row['severity']!,
    actor: { id: actor['id'] ?? null, username: actor['username'] ?? null },
    timestamp: row['timestamp']!,
    data: values,
    version: row['version'] ?? null,
  }
}

/** A text as it was written; in a locale that it lacks as the event says it now. What said nothing goes on to. */
function inLaterLocales(stored: Text, now: Text | undefined, { localizer }: Resource): Text {
  if (stored === '' || now === undefined || localizer.wordings === undefined) return stored
  const own = typeof stored === 'string' ? { [localizer.locale().localeResolved]: stored } : stored
  return { ...localizer.wordings(now), ...own }
}

function present(row: Row, access: Access, { names, locale, model, events }: Showing): Row {
  const { id, recordId, event, icon, severity, timestamp, version } = row
  const [data, sources, actor] = [valuesIn(row, 'data'), valuesIn(row, 'sources'), valuesIn(row, 'actor')]
  const { resource } = access
  const { open } = sealingOf(recordId, resource, model)
  let isWhole = row['label'] !== ''
  const shown: Record<string, Value> = {}
  for (const [name, kept] of Object.entries(data)) {
    const from = sourcesIn(sources[name])
    const sealed = from.map((one) => names.get(one) ?? one).find((one) => isSealed(one, resource, model))
    if (from.every((one) => mayRead(one, access, names)))
      shown[name] = open(sealed ?? from[0] ?? name, kept, name)
    // A text never holds what is sealed.
    if (shown[name] === undefined || sealed !== undefined) isWhole = false
  }
  const template: Template = JSON.parse(String(row['template']))
  const told = events.find(({ name }) => name === event)
  const textOf = (key: 'label' | 'detail'): Value => {
    const text = inLaterLocales(template[key], told?.[key], access.resource)
    if (isWhole && typeof text === 'string') return row[key]!
    return interpolate(access.resource.localizer.text(text, locale) ?? '', among(valuesOf(shown, actor)))
  }
  return {
    id: id!,
    recordId: recordId === noRecordOf(resource) ? null : recordId!,
    event: event!,
    label: textOf('label'),
    detail: textOf('detail'),
    icon: icon!,
    severity: severity!,
    actor: { id: actor['id'] ?? null, username: actor['username'] ?? null },
    timestamp: timestamp!,
    data: shown,
    version: version ?? null,
  }
}
