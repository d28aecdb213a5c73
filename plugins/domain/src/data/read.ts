import { setImmediate as aside } from 'node:timers/promises'
import { type Call, type Ignored, ignoredBy, type Inbound } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Asked, Asker, RecordPage } from '../contract/data.ts'
import type { Model } from '../model/model.ts'
import { presented, readPart } from '../operations/read-list.ts'
import { presentRecord } from '../present/record.ts'
import { type ListPlan, planList } from '../query/plan.ts'
import { assertReadable, readableOrder } from '../query/readable-columns.ts'
import { neighboursOf } from '../reach/neighbours.ts'
import type { Runtime } from '../runtime.ts'

/** Plans what is asked of a resource, as its list would. Throws INVALID_QUERY, UNAUTHORIZED or FORBIDDEN. */
export function plannedFor(
  { query = {}, parameters, fields, where = [], order = [] }: Asked,
  access: Access,
  ignored: Ignored,
): ListPlan {
  assertReadable(where, access)
  return planList(query, access, ignored, {
    where,
    order: readableOrder(order, access),
    ...(parameters && { parameters }),
    ...(fields && { fields: fields.flatMap((name) => access.selectable(name) ?? []) }),
  })
}

/** Reads one part of the records of a resource for an asker. */
export async function readRecords(
  { model, runtime }: { readonly model: Model; readonly runtime: Runtime },
  access: Access,
  asked: Asked,
  asker: Asker,
): Promise<RecordPage> {
  const plan = plannedFor(asked, access, ignoredFor(asker))
  const { rows, facts } = await readPart(plan, runtime)
  const reading = { model, runtime, warn: warnOf(asker) }
  return { rows: await presented(reading, access, plan, rows), fields: plan.fields, facts }
}

/** How many rows a stream reads at a time. */
const BATCH = 200

/** Reads all of them, as they were at first. Between two batches others get their turn. */
export async function* streamRecords(
  { store }: Runtime,
  access: Access,
  asked: Asked,
  asker: Asker,
  size = BATCH,
): AsyncGenerator<readonly Row[]> {
  const { select, fields } = plannedFor(whole(asked), access, ignoredFor(asker))
  const { limit: _limit, offset: _offset, ...plan } = select
  const reach = access.reachOf(fields)
  for await (const rows of store.stream(plan, size)) {
    const found =
      reach.size === 0 ? [] : await neighboursOf(rows, reach, { reader: store, access, rights: 'caller' })
    yield rows.map((row, at) => presentRecord(row, fields, access, found[at]))
    await aside()
  }
}

/** What a query asks for besides a range, and records that come along. */
function whole(asked: Asked): Asked {
  const {
    page: _page,
    limit: _limit,
    offset: _offset,
    cursor: _cursor,
    include: _include,
    ...query
  } = asked.query ?? {}
  return { ...asked, query }
}

const ignoredFor = (asker: Asker): Ignored => ignoredBy(preferOf(asker), warnOf(asker))

const preferOf = ({ request }: { readonly request?: Inbound | undefined }): string | undefined =>
  request?.meta('prefer')

const warnOf = ({ warn = () => undefined }: Asker): Call['warn'] => warn
