import type { ErasedValues, Erasure, Followed, Resource } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import { tellsOfOne } from '../compile/made.ts'
import type { Gathered } from '../subjects/gather.ts'
import { type Carrying, PORTION } from './carrying.ts'
import { everythingOf, type Forgotten, leftOf } from './made.ts'
import type { PlannedChange } from './plan.ts'

/**
 * What is kept beside records of which nothing changes may have been made of what they held before, or of what their person's other
 * records do.
 */
export async function forgetBeside(records: readonly Forgotten[], carrying: Carrying): Promise<void> {
  const { data, writes, retained } = carrying
  for (const [resource, some] of byResource(records)) {
    const [having, bare] = [
      some.filter(({ erased }) => erased.size > 0),
      some.filter(({ erased }) => erased.size === 0),
    ]
    const erasure = (all: readonly Forgotten[]) =>
      erasureOf(
        resource,
        all.map((one) => erasedValues({ ...one, values: {} }, one.row, carrying)),
        carrying,
      )
    if (having.length > 0) await data.redact(erasure(having), retained, writes)
    if (bare.length > 0) await data.redact(erasure(bare), LEDGERS, writes)
  }
}

const LEDGERS: Carrying['retained'] = new Set(['audit', 'versions', 'history'])

/** The same of records that are left in peace besides: all that is kept of them stays but these values in ledgers. */
export async function forgetInLedgers(records: readonly Forgotten[], carrying: Carrying): Promise<void> {
  for (const [resource, some] of byResource(records)) {
    const values = some.map((one) => erasedValues({ ...one, values: {} }, one.row, carrying))
    const erasure = { ...erasureOf(resource, values, carrying), inLedgersAlone: true } as const
    await carrying.data.redact(erasure, carrying.retained, carrying.writes)
  }
}

/** Ledgers of other records have what these were worked out from before, which is erased now: as far as that tells of one record. */
export async function forgetFollowed(followed: readonly Followed[], carrying: Carrying): Promise<void> {
  for (const [resource, all] of byResource(followed)) {
    const telling = resource.computed.filter((field) => tellsOfOne(field, resource))
    const records = all.flatMap(({ key, values }): readonly ErasedValues[] => {
      const told = telling.filter(({ name }) => Object.hasOwn(values, name))
      if (told.length === 0) return []
      return [{ key, values: Object.fromEntries(told.map(({ name }) => [name, values[name] ?? null])) }]
    })
    if (records.length === 0) continue
    const erasure = { ...erasureOf(resource, records, carrying), inLedgersAlone: true } as const
    await carrying.data.redact(erasure, carrying.retained, carrying.writes)
  }
}

function byResource<T extends { readonly resource: Resource }>(
  all: readonly T[],
): ReadonlyMap<Resource, T[]> {
  const found = new Map<Resource, T[]>()
  for (const one of all) {
    const known = found.get(one.resource)
    if (known === undefined) found.set(one.resource, [one])
    else known.push(one)
  }
  return found
}

/** What becomes of what is kept of a record that is `row` by now. */
export function erasedValues(
  change: Pick<PlannedChange, 'resource' | 'erased' | 'values'>,
  row: Row,
  { setting: { privacy } }: Pick<Carrying, 'setting'>,
): ErasedValues {
  const { resource, values } = change
  const made = privacy.madeOf(resource).flatMap(({ field }) => (field.column ? [field.name] : []))
  const isChanged = Object.keys(values).length > 0
  return {
    key: recordKey(resource, row),
    values: leftOf(change, row, privacy),
    lost: new Set([...Object.keys(values), ...(isChanged ? made : [])]),
  }
}

/** Ledgers of records that are gone lose what they kept of the person. */
export async function forgetGone({ past }: Gathered, carrying: Carrying): Promise<void> {
  const { data, writes } = carrying
  for (const [resource, ids] of past) {
    if (carrying.excluded.has(resource.name)) continue
    const column = resource.key.column!
    const keys = ids.map((id) => (column.kind === 'integer' ? Number(id) : id))
    for (let at = 0; at < keys.length; at += PORTION) {
      const some = keys.slice(at, at + PORTION)
      await data.redact(nothingLeft(resource, some, carrying), carrying.retained, writes)
    }
  }
}

/** The key of a record as ledgers know it. */
export const recordKey = (resource: Resource, row: Row): string | number => {
  const key = row[resource.key.name]
  return typeof key === 'number' ? key : String(key)
}

/** Null for every field of records that is personal, or made of such. */
export function nothingLeft(
  resource: Resource,
  keys: readonly (string | number)[],
  carrying: Carrying,
): Erasure {
  const erased = everythingOf(resource, carrying.setting.privacy)
  const values = Object.fromEntries([...erased].map((name) => [name, null]))
  return erasureOf(
    resource,
    keys.map((key) => ({ key, values })),
    carrying,
  )
}

/** What ledgers are told of records whose values are others now. */
export const erasureOf = (
  resource: Resource,
  records: readonly ErasedValues[],
  { call, at, setting }: Carrying,
): Erasure => ({ resource, records, caller: call.caller, at, newId: setting.newId })
