import { isDeepStrictEqual } from 'node:util'
import type { Data, Resource } from '@svc/domain/contract'
import type { Reader, Row, Value } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import { keptBeside } from '../subjects/beside.ts'
import { place } from '../subjects/find.ts'
import { type Forgotten, leftOf } from './made.ts'
import { placeOf } from './referrers.ts'

/** The ledgers that an erase takes single values out of. */
export const LEDGERS = ['audit', 'versions', 'history'] as const
type Ledger = (typeof LEDGERS)[number]

/** Whether ledgers hold values of records that an erase would take out of them: others than it would put in their place. */
export async function isLeftBehind(
  records: readonly Forgotten[],
  ledgers: readonly Ledger[],
  privacy: Privacy,
  reading: { readonly data: Data; readonly reader: Reader },
): Promise<boolean> {
  const rows = new Map<Resource, Map<string, Row>>()
  const leaving = new Map<string, Row>()
  for (const one of records) {
    const { resource, row } = one
    const key = String(row[resource.key.name])
    rows.set(resource, (rows.get(resource) ?? new Map<string, Row>()).set(key, row))
    leaving.set(placeOf(resource, row), leftOf(one, row, privacy))
  }
  for await (const { told, resource, row } of keptBeside(ledgers, rows, new Map(), reading)) {
    const left = leaving.get(place({ resource: resource.name, recordId: String(row['recordId']) })) ?? {}
    const names = namesIn(resource)
    for (const [fields, value] of valuesIn(told, row, names)) {
      const field = fields.find((name) => Object.hasOwn(left, name))
      if (field !== undefined && value !== null && !isDeepStrictEqual(value, left[field] ?? null)) return true
    }
  }
  return false
}

/** The values of an entry, each with the names of the fields that it may have been made of. */
function* valuesIn(
  told: string,
  row: Row,
  names: ReadonlyMap<string, string>,
): Iterable<readonly [readonly string[], Value]> {
  const sources = mapIn(row['sources'])
  for (const [as, value] of Object.entries(mapIn(told === 'audit' ? row['changes'] : row['data'])))
    if (told === 'history') yield [[sources[as] ?? []].flat().map(String), value]
    else for (const one of told === 'audit' ? sidesOf(value) : [value]) yield [[names.get(as) ?? as], one]
}

/** Both sides of a change; none of one that is erased. */
const sidesOf = (change: Value): readonly Value[] => {
  const { from = null, to = null, erased } = mapIn(change)
  return erased === true ? [] : [from, to]
}

const mapIn = (value: Value | undefined): Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : {}

/** What fields are called, by the other names under which ledgers know them. */
const namesIn = ({ fields }: Resource): ReadonlyMap<string, string> =>
  new Map(
    [...fields.values()].flatMap(({ name, keptAs, renamedFrom: old }) => [
      [keptAs, name] as const,
      ...(old === undefined || fields.has(old) ? [] : [[old, name] as const]),
    ]),
  )
