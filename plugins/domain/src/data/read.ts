import { setImmediate as aside } from 'node:timers/promises'
import { type Call, type Ignored, ignoredBy, type Inbound } from '@svc/kernel'
import { assertFits, type Row } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Asked, Asker, Query, RecordPage } from '../contract/data.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { presented, readPart } from '../operations/read-list.ts'
import { lengthOf } from '../present/length.ts'
import { presentRecord } from '../present/record.ts'
import { simplifying } from '../present/simplified.ts'
import { type ListPlan, planList, type Within } from '../query/plan.ts'
import { assertReadable, assertReadableScalars, readableOrder } from '../query/readable-columns.ts'
import { type AddedValues, addedValues } from '../reach/added.ts'
import { neighboursOf } from '../reach/neighbours.ts'
import type { Runtime } from '../runtime.ts'

/** A list as it will be read, and which of its fields somebody asked for. */
interface Planned {
  readonly plan: ListPlan
  readonly shown: readonly Field[]
  readonly added: AddedValues
}

/** Plans what is asked of a resource, as its list would. Throws INVALID_QUERY, UNAUTHORIZED or FORBIDDEN. */
function plannedFor(asked: Asked, access: Access, ignored: Ignored): Planned {
  const { parameters, fields, where = [], order = [], values, worked = [] } = asked
  assertReadable(where, access)
  assertReadableScalars(
    worked.map(({ scalar }) => scalar),
    access,
  )
  const query = asked.areFieldsFixed ? without(FORM, asked.query, ignored) : (asked.query ?? {})
  const chosen = fields?.flatMap((name) => access.selectable(name) ?? [])
  const added = addedValues(values, worked, access, alsoOf(asked))
  const plan = planList(query, access, ignored, {
    where,
    also: alsoOf(asked),
    order: readableOrder(order, access),
    ...(parameters && { parameters }),
    ...(chosen && { fields: [...new Set([access.resource.key, ...chosen])] }),
  })
  const select = added.reading(plan.select)
  return {
    plan: { ...plan, select },
    shown: chosen === undefined || query['fields'] ? plan.fields : chosen,
    added,
  }
}

/** What is done with records besides listing them. */
const alsoOf = ({ isExport, isAutomated }: Asked): NonNullable<Within['also']> => [
  ...(isExport ? (['export'] as const) : []),
  ...(isAutomated ? (['automate'] as const) : []),
]

/** Reads one part of the records of a resource for an asker. */
export async function readRecords(
  { model, runtime }: { readonly model: Model; readonly runtime: Runtime },
  access: Access,
  asked: Asked,
  asker: Asker,
): Promise<RecordPage> {
  const { plan, shown, added } = plannedFor(asked, access, ignoredFor(asker))
  const { rows, facts } = await readPart(plan, runtime)
  const reading = { model, runtime, warn: warnOf(asker), also: alsoOf(asked) }
  const records = await presented(reading, access, plan, rows)
  const whole = await added.to(records, rows, runtime.store)
  // What comes from one record may stand in many.
  assertFits(whole.reduce((sum, row) => sum + lengthOf(row), 0))
  return { rows: whole, fields: shown, facts }
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
  const ignored = ignoredFor(asker)
  const whole = { ...asked, query: without(PART, asked.query, ignored) }
  const {
    plan: { select, fields, tolerance },
    added,
  } = plannedFor(whole, access, ignored)
  const { limit: _limit, offset: _offset, ...plan } = select
  const reach = access.reachOf(fields)
  const also = alsoOf(asked)
  const simplify = simplifying(fields, tolerance, access)
  for await (const rows of store.stream(plan, size)) {
    const found =
      reach.size === 0
        ? []
        : await neighboursOf(rows, reach, { reader: store, access, rights: 'caller', also })
    const shown = rows.map((row, at) => presentRecord(row, fields, access, found[at]))
    yield await added.to(simplify ? await simplify(shown, rows) : shown, rows, store)
    await aside()
  }
}

/** The query parameters that say which part of a list is read, and what comes along. */
const PART: ReadonlySet<string> = new Set(['page', 'limit', 'offset', 'cursor', 'include'])

/** Those that say what is shown of records. */
const FORM: ReadonlySet<string> = new Set(['fields', 'include'])

/** The query without parameters that have no effect, which are told. */
function without(names: ReadonlySet<string>, query: Query = {}, ignored: Ignored): Query {
  const told = Object.keys(query).filter((name) => names.has(name))
  for (const name of told) ignored('query', name)
  return told.length === 0
    ? query
    : Object.fromEntries(Object.entries(query).filter(([name]) => !names.has(name)))
}

const ignoredFor = (asker: Asker): Ignored => ignoredBy(preferOf(asker), warnOf(asker))

const preferOf = ({ request }: { readonly request?: Inbound | undefined }): string | undefined =>
  request?.meta('prefer')

const warnOf = ({ warn = () => undefined }: Asker): Call['warn'] => warn
