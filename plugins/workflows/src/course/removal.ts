import type { Change, Writes } from '@svc/domain/contract'
import { INSTANCE } from '../tables/instances.ts'
import { keptRecord } from './records.ts'
import type { Setting } from './setting.ts'

/** A record is removed for good: its instances keep how it last was. */
export async function noteRemoval({ tables, rows }: Setting, change: Change, writes: Writes): Promise<void> {
  const { resource, key, previous, record } = change
  if (record !== undefined || previous === undefined || resource.features.softDelete) return
  await writes.update({
    table: tables.instances,
    set: rows.kept('instances', { last: keptRecord(change.next(), resource) }),
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: INSTANCE.recordId, value: String(key) },
        { op: 'eq', column: INSTANCE.resource, value: resource.name },
        { op: 'null', column: INSTANCE.finishedAt },
      ],
    },
  })
}
