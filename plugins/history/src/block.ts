import type {
  Change,
  Description,
  Mentioning,
  ResourceBlock,
  ResourcePart,
  ResourceSite,
  Text,
} from '@svc/domain/contract'
import { HISTORY, type History } from './contract.ts'
import { copiesIn } from './copies.ts'
import { type HistoryDefinition as Definition, HistoryDefinition } from './timeline/definition.ts'
import { TIMELINE_DOCUMENTATION } from './timeline/documentation.ts'
import { buildEvent, type TimelineEvent } from './timeline/event.ts'
import { redactTimeline, rewritten } from './timeline/redact.ts'
import { redactVersions } from './versions/redact.ts'
import {
  ACTOR,
  createTimelineLedger,
  DATA,
  openEvent,
  resealEvent,
  type TimelineLedger,
} from './timeline/ledger.ts'
import { historyOperation } from './timeline/operation.ts'
import { keptIn } from './ledger.ts'
import { createVersionLedger, DATA as VERSION_DATA, openVersion, resealVersion } from './versions/ledger.ts'
import { VERSIONS_DOCUMENTATION } from './versions/documentation.ts'
import { REVERT, revertOperation, versionsOperation } from './versions/operations.ts'

/** The key `history` of a resource, and the feature `versioning`: an event may name the version of its write. */
export const historyBlock: ResourceBlock<Definition, History> = {
  on: 'resource',
  key: HISTORY.key,
  features: { versioning: 'Whether former states of a record are kept and can be gone back to.' },
  changes: [REVERT],
  schema: HistoryDefinition.describe('The events in the life of a record that are kept for people.'),
  compile(written, site) {
    const keepsVersions = site.feature('versioning')
    if (written === undefined && !keepsVersions) return undefined
    const events = Object.entries(written?.events ?? {}).map(([name, event]) => buildEvent(name, event, site))
    return partOf(site, keepsVersions, written && events)
  },
}

function partOf(
  site: ResourceSite,
  keepsVersions: boolean,
  events: readonly TimelineEvent[] | undefined,
): ResourcePart<History> {
  const { resource, model } = site
  const versions = keepsVersions ? createVersionLedger(resource, model) : undefined
  const timeline = events && createTimelineLedger(resource, model, events)
  const brought = new WeakMap<Change, readonly string[]>()
  return {
    tables: {
      ...(versions && { versions: versions.table }),
      ...(timeline && { history: timeline.table }),
    },
    selfContained: true,
    appends: ({ kind }) =>
      (versions === undefined || kind === 'create') &&
      events?.every(({ condition }) => condition === undefined) !== false,
    async afterWrite(change, transaction) {
      const version = await versions?.copy(change, transaction)
      if (timeline) brought.set(change, await timeline.record(change, transaction, version))
    },
    ...(timeline && {
      altered: timeline.recordAlteration,
      made: {
        events: timeline.events.map(({ name }) => name),
        isPersonal: timeline.events.some(({ roles }) => roles.includes('owner')),
        broughtBy: (change) => brought.get(change) ?? [],
        add: timeline.add,
        tell: timeline.tell,
      },
    }),
    keeps: (of) =>
      of === resource
        ? [
            ...(versions
              ? [
                  keptIn(versions, 'versions', ['data'], {
                    redact: redactVersions(versions),
                    open: openVersion,
                    reseal: resealVersion,
                  }),
                ]
              : []),
            ...(timeline
              ? [
                  keptIn(timeline, 'history', ['label', 'detail', 'data', 'template'], {
                    redact: redactTimeline(timeline),
                    open: openEvent,
                    reseal: resealEvent,
                  }),
                ]
              : []),
          ]
        : [],
    mentions: [
      ...(versions ? copiesIn(versions, 'versions', VERSION_DATA, (_, left) => left) : []),
      ...(timeline ? speakingIn(timeline) : []),
    ],
    ...(timeline && {
      acted: [{ table: timeline.table, actor: ACTOR, also: [DATA], settle: rewritten(timeline) }],
    }),
    operations: [
      ...(versions ? [versionsOperation(versions), revertOperation(versions)] : []),
      ...(timeline ? [historyOperation(timeline, site)] : []),
    ],
    describe: (localize) => describe(versions !== undefined, events, localize),
  }
}

const speakingIn = ({ resource, table, recordId }: TimelineLedger): readonly Mentioning[] => [
  {
    kind: 'history',
    table,
    columns: table.columns.filter(({ name }) => SPEAKING.has(name)),
    about: { resource, recordId },
  },
]

/** The columns of a timeline that have what an event said, of whomever. */
const SPEAKING: ReadonlySet<string> = new Set(['label', 'detail', 'data'])

function describe(
  keepsVersions: boolean,
  events: readonly TimelineEvent[] | undefined,
  localize: Localize,
): Description {
  const documented = [
    ...(keepsVersions ? [VERSIONS_DOCUMENTATION] : []),
    ...(events ? [TIMELINE_DOCUMENTATION] : []),
  ]
  return {
    ...(events && { schema: { history: { events: eventsFor(events, localize) } } }),
    openapi: {
      schemas: Object.assign({}, ...documented.map(({ schemas }) => schemas)),
      operations: Object.assign({}, ...documented.map(({ operations }) => operations)),
    },
  }
}

type Localize = (text: Text | undefined) => string | undefined

const eventsFor = (events: readonly TimelineEvent[], localize: Localize) =>
  Object.fromEntries(
    events.map(({ name, on, label, icon, severity, roles }) => [
      name,
      { on, label: localize(label), icon, severity, roles },
    ]),
  )
