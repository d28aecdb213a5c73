import { ignoredBy } from '@svc/kernel'
import type { Condition, Row, Scalar } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { AskedAggregate, Asker } from '../contract/data.ts'
import { CHOOSING, planRows, reportUnknown } from '../query/plan.ts'
import { assertReadable, assertReadableScalars } from '../query/readable-columns.ts'
import type { Runtime } from '../runtime.ts'

/** Works out what the records that an asker may list come to. */
export async function aggregateRecords(
  { store }: Runtime,
  access: Access,
  { query = {}, parameters = [], where = [], isExport = false, ...plan }: AskedAggregate,
  { request, warn = () => undefined }: Asker,
): Promise<readonly Row[]> {
  const measures = Object.values(plan.measures)
  assertReadable(
    [
      ...where,
      ...measures.flatMap((measure): readonly Condition[] => (measure.where ? [measure.where] : [])),
    ],
    access,
  )
  const measured = measures.flatMap((measure): readonly Scalar[] => (measure.scalar ? [measure.scalar] : []))
  assertReadableScalars([...Object.values(plan.by), ...measured], access)
  const ignored = ignoredBy(request?.meta('prefer'), warn)
  reportUnknown(query, ignored, new Set([...CHOOSING, ...parameters]))
  const { table } = access.resource
  return store.aggregate({
    ...plan,
    table,
    where: planRows(query, access, ignored, { where, ...(isExport && { also: ['export'] }) }),
  })
}
