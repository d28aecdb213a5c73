import { addDuration, type Duration } from '@svc/automation/contract'
import { type Resource, type RowCondition, VERSION } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Column, Condition } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import type { RetentionEntry } from '../compile/retention.ts'
import type { RetentionAction } from '../definition.ts'
import { SWEPT, type Tables } from '../tables.ts'

/** What is done to records of one resource whose time is over. */
export interface Sweep {
  readonly entry: RetentionEntry
  readonly resource: Resource
  readonly duration: Duration
  readonly action: RetentionAction
  readonly when: RowCondition | undefined
}

/** Everything that sweeps do, in the order of the definition. */
export const sweepsOf = ({ retention }: Privacy): readonly Sweep[] =>
  retention.flatMap((entry) => {
    const { duration, action, hold } = entry
    if (hold || duration === undefined || action === undefined) return []
    return [...entry.resources].map(([resource, when]) => ({ entry, resource, duration, action, when }))
  })

/** The last moment from which a duration is over by now; both in milliseconds since 1970. */
export function lastOver(duration: Duration, now: number): number {
  let [over, open] = [now - 2 * duration.ms - DAY_MS, now + 1]
  while (open - over > 1) {
    const between = Math.floor((over + open) / 2)
    if (addDuration(between, duration) <= now) over = between
    else open = between
  }
  return over
}

const DAY_MS = 86_400_000

/** The records whose time may be over, as far as the store can tell; what sweeps have left and nobody wrote since is not. */
export function dueRows(
  { entry, resource, duration, action, when }: Sweep,
  now: number,
  { swept }: Tables,
): Condition {
  const { key } = resource
  const isLive: readonly Condition[] = action === 'archive' ? liveRows(resource) : []
  return {
    op: 'and',
    of: [
      since(entry, resource, lastOver(duration, now)),
      ...(when ? [when.rows({ user: SYSTEM, rowsOf: 'author', now: () => now })] : []),
      ...isLive,
      {
        op: 'not',
        of: {
          op: 'exists',
          table: swept,
          on: [
            [SWEPT.recordId, key.column!],
            [SWEPT.version, VERSION],
          ],
          where: {
            op: 'and',
            of: [
              { op: 'eq', column: SWEPT.resource, value: resource.name },
              { op: 'eq', column: SWEPT.category, value: entry.category },
              { op: 'eq', column: SWEPT.action, value: action },
            ],
          },
        },
      },
    ],
  }
}

function liveRows({ fields }: Resource): readonly Condition[] {
  const column = fields.get('deletedAt')?.column
  return column ? [{ op: 'null', column }] : []
}

function since({ since: from }: RetentionEntry, resource: Resource, last: number): Condition {
  const column = (name: string) => resource.fields.get(name)?.column
  if (from.kind === 'field') return until(column(from.field)!, last)
  const createdAt = moment(column('createdAt'))
  const { key } = resource
  const byKey: readonly Condition[] =
    key.column?.kind === 'uuid' ? [{ op: 'lte', column: key.column, value: keyAt(last) }] : []
  const created: readonly Condition[] =
    createdAt === undefined
      ? byKey
      : [
          {
            op: 'or',
            of: [
              until(createdAt, last),
              ...byKey.map((one): Condition => ({
                op: 'and',
                of: [{ op: 'null', column: createdAt }, one],
              })),
            ],
          },
        ]
  const updatedAt = from.kind === 'lastActivity' ? moment(column('updatedAt')) : undefined
  const updated: readonly Condition[] = updatedAt
    ? [{ op: 'or', of: [{ op: 'null', column: updatedAt }, until(updatedAt, last)] }]
    : []
  return { op: 'and', of: [...created, ...updated] }
}

const moment = (column: Column | undefined): Column | undefined =>
  column?.kind === 'datetime' ? column : undefined

const until = (column: Column, last: number): Condition => {
  const text = new Date(last).toISOString()
  return { op: 'lte', column, value: column.kind === 'date' ? text.slice(0, 10) : text }
}

/** The last key of version 7 that a moment has (RFC 9562). */
function keyAt(at: number): string {
  const digits = Math.max(at, 0).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7fff-bfff-ffffffffffff`
}
