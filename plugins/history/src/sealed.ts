import { codecOf, type Former, type Model, type Resource } from '@svc/domain/contract'
import { type Codec, openValue, type Row, sealValue, type Value } from '@svc/store/contract'
import { renamed } from './readable.ts'

/** How values of one record are kept beside it: those of fields whose columns seal them are sealed for the record. */
export interface Sealing {
  /** A value of a field as a ledger may keep it; `as` is the name that it has there, that of the field unless said. */
  seal(field: string, value: Value, as?: string): Value
  /** What `seal` made of a value; null where nothing is there to open it any more. */
  open(field: string, kept: Value, as?: string): Value
}

/** The sealing of what is kept of a record. */
export function sealingOf(recordId: Value | undefined, resource: Resource, model: Model): Sealing {
  const place = (as: string) => JSON.stringify([String(recordId), as])
  return {
    seal: (field, value, as = field) =>
      sealValue({ codec: fieldCodecOf(field, resource, model) }, value, place(as)),
    // What was sealed before its field was no longer opens as long as the domain seals anything.
    open: (field, kept, as = field) =>
      openValue({ codec: fieldCodecOf(field, resource, model) ?? codecOf(model) }, kept, place(as)),
  }
}

/** Whether values of a field are sealed. */
export const isSealed = (name: string, resource: Resource, model: Model): boolean =>
  fieldCodecOf(name, resource, model) !== undefined

/** What is worked out on every read may be made of anything that its domain seals, and is kept as that is. */
function fieldCodecOf(as: string, resource: Resource, model: Model): Codec | undefined {
  const { fields } = resource
  const field = fields.get(as) ?? fields.get(renamed(resource).get(as) ?? '')
  if (field === undefined) return undefined
  if (field.column === undefined) return sealsAny(model) ? codecOf(model) : undefined
  const { codec } = field.column
  return codec?.mixed ?? codec
}

const sealsAny = ({ resources }: Model): boolean =>
  [...resources.values()].some(({ columns }) => columns.some(({ codec }) => codec !== undefined))

/** A resource in a definition. */
export interface Defined {
  readonly resource: Resource
  readonly model: Model
}

/** What a ledger calls a field from now on that it called `as`. */
export const nameNow = (as: string, { resource, names }: Former): string =>
  names.get(as) ?? names.get(renamed(resource).get(as) ?? as) ?? as

/** Values by their names from now on; where one that is gone had such a name, the one that has it now stands. */
export function renameValues(values: Row, from: Former, one: (name: string, value: Value) => Value): Row {
  const entries = Object.entries(values).map(([name, value]) => [name, nameNow(name, from), value] as const)
  const isMoved = ([name, now]: readonly [string, string, Value]) => name !== now
  return Object.fromEntries(
    [...entries.filter((entry) => !isMoved(entry)), ...entries.filter(isMoved)].map(([name, now, value]) => [
      now,
      one(name, value),
    ]),
  )
}

/**
 * Keeps a value of a record as another definition keeps it; `name` is the name that it has in the ledger. One of a field that
 * is gone stays as it is.
 */
export function resealing(
  recordId: Value | undefined,
  from: Former,
  to: Defined,
): (name: string, kept: Value) => Value {
  const [before, now] = [from, to].map((one) => ({
    names: renamed(one.resource),
    sealing: sealingOf(recordId, one.resource, one.model),
  })) as [Side, Side]
  return (name, kept) => {
    const as = nameNow(name, from)
    const field = now.names.get(as) ?? as
    if (!to.resource.fields.has(field)) return kept
    return now.sealing.seal(field, before.sealing.open(before.names.get(name) ?? name, kept, name), as)
  }
}

interface Side {
  readonly names: ReadonlyMap<string, string>
  readonly sealing: Sealing
}

/** The same for values by their names. */
export const mapValues = (values: Row, one: (name: string, value: Value) => Value): Row =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, one(name, value)]))
