import type { ErasedValues, Erasure, Resource } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import type { Gathered } from '../subjects/gather.ts'
import { type Carrying, PORTION } from './carrying.ts'

/** What is kept beside records that hold nothing personal may have been made of what their person's other records do. */
export async function forgetBeside(
  records: readonly { readonly resource: Resource; readonly row: Row }[],
  carrying: Carrying,
): Promise<void> {
  const byResource = new Map<Resource, ErasedValues[]>()
  for (const { resource, row } of records) {
    const known = byResource.get(resource) ?? []
    byResource.set(resource, known)
    known.push({ key: recordKey(resource, row), values: {} })
  }
  for (const [resource, some] of byResource)
    await carrying.data.redact(erasureOf(resource, some, carrying), LEDGERS, carrying.writes)
}

const LEDGERS: Carrying['retained'] = new Set(['audit', 'versions', 'history'])

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

/** Null for every personal field of records. */
export function nothingLeft(
  resource: Resource,
  keys: readonly (string | number)[],
  carrying: Carrying,
): Erasure {
  const personal = carrying.setting.privacy.personalOf(resource)
  const values = Object.fromEntries(personal.map(({ field }) => [field.name, null]))
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
