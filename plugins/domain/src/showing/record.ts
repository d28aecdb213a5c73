import type { Neighbours } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Resource } from '../model/resource.ts'
import { workOut } from '../present/formulas.ts'
import { accessOf, type Audience } from './audience.ts'
import { seesField } from './sight.ts'

/** How a record is shown. */
export interface RecordShown {
  /** What formulas need of related records, read by the reader's rights; without them those that reach are absent. */
  readonly neighbours?: Neighbours | undefined
  /** Whether fields are named, so that hidden ones which may be asked for are there. */
  readonly isNamed?: boolean
}

/**
 * A record by its columns, as it stands in a ledger or a webhook for a reader: what the reader may not read, what is masked
 * or hidden, and what is worked out from such a field, is absent.
 */
export function recordFor(
  audience: Audience,
  resource: Resource,
  record: Row,
  now: () => number,
  { neighbours, isNamed = false }: RecordShown = {},
): Row {
  const of = (one: Resource): Access => accessOf(audience, one, now)
  const access = of(resource)
  const stored = storedOf(resource, record)
  const known = workOut(stored, access, neighbours)
  const shown: Record<string, Value> = {}
  for (const [name, { hidden }] of resource.fields) {
    const value = known[name]
    if (value === undefined || (hidden && !isNamed)) continue
    if (seesField(name, access, of, stored)) shown[name] = value
  }
  return shown
}

/** What is stored of a record: what is worked out on every read is not. */
export const storedOf = ({ fields }: Resource, record: Row): Row =>
  Object.fromEntries(Object.entries(record).filter(([name]) => fields.get(name)?.column !== undefined))
