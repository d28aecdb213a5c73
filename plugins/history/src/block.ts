import type { Resource, ResourceBlock, ResourcePart } from '@svc/domain/contract'
import { type HistoryDefinition as Definition, HistoryDefinition } from './timeline/definition.ts'
import { buildEvent, type TimelineEvent } from './timeline/event.ts'
import { createTimelineLedger } from './timeline/ledger.ts'
import { historyOperation } from './timeline/operation.ts'
import { createVersionLedger } from './versions/ledger.ts'
import { revertOperation, versionsOperation } from './versions/operations.ts'

/** The key `history` of a resource, and the feature `versioning`: an event may name the version of its write. */
export const historyBlock: ResourceBlock<Definition> = {
  on: 'resource',
  key: 'history',
  schema: HistoryDefinition.describe('The events in the life of a record that are kept for people.'),
  compile(written, site) {
    const { resource } = site
    if (written === undefined && !resource.features.versioning) return undefined
    const events = Object.entries(written?.events ?? {}).map(([name, event]) => buildEvent(name, event, site))
    return partOf(resource, written && events)
  },
}

function partOf(resource: Resource, events: readonly TimelineEvent[] | undefined): ResourcePart {
  const versions = resource.features.versioning ? createVersionLedger(resource) : undefined
  const timeline = events && createTimelineLedger(resource, events)
  return {
    tables: {
      ...(versions && { versions: versions.table }),
      ...(timeline && { history: timeline.table }),
    },
    async afterWrite(change, transaction) {
      const version = await versions?.copy(change, transaction)
      await timeline?.record(change, transaction, version)
    },
    operations: [
      ...(versions ? [versionsOperation(versions), revertOperation(versions)] : []),
      ...(timeline ? [historyOperation(timeline)] : []),
    ],
    describe: (localize) => (events ? { history: { events: describe(events, localize) } } : {}),
  }
}

const describe = (
  events: readonly TimelineEvent[],
  localize: Parameters<NonNullable<ResourcePart['describe']>>[0],
) =>
  Object.fromEntries(
    events.map(({ name, on, label, icon, severity, roles }) => [
      name,
      { on, label: localize(label), icon, severity, roles },
    ]),
  )
