import type { Data, Field, Kept, Resource } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import { keptBeside, type Told, TOLD } from '../subjects/beside.ts'
import type { Gathered } from '../subjects/gather.ts'
import { formsOf, hashOf } from '../subjects/identifier.ts'
import type { Asked } from '../subjects/who.ts'
import { MASK, type Showing, type ShowingOf } from './shown.ts'

/** What is shown with, and to whom. */
interface Around {
  readonly asked: Asked
  readonly data: Data
  readonly showingOf: ShowingOf
  /** What identifies others, as far as it was met. */
  readonly others: ReadonlySet<string>
}

/** A shorter value may be part of any text. */
const SHORTEST = 5

/**
 * What is kept of a person's records beside them, by the names under which that is told: values of the fields that are shown of the
 * records, and of texts made of them what such values alone were put into.
 */
export async function shownBeside(
  { records, past }: Gathered,
  around: Around,
): Promise<Readonly<Record<Told, readonly Row[]>>> {
  const { data, showingOf, others } = around
  const found: Record<Told, Row[]> = {
    audit: [],
    versions: [],
    history: [],
    documents: [],
    notifications: [],
  }
  const order = ({ table }: Kept) => table.primaryKey.map((column) => ({ column, descending: false }))
  for await (const { told, resource, row } of keptBeside(TOLD, records, past, { data, order })) {
    // What is for some roles alone is told to who may see it in the timeline, and to those who are to know all of a person.
    if (told === 'history' && around.asked.isOwn && row['open'] === false) continue
    const fields = fieldsIn(resource, showingOf(resource))
    found[told].push({ resource: resource.name, ...SHOWN[told](row, fields, around) })
  }
  // By then all that identifies others has been met, in records and ledgers.
  const names = [...others].filter((one) => one.length >= SHORTEST)
  for (const told of ['history', 'documents', 'notifications'] as const)
    found[told] = found[told].map((row) => mapped(row, (_, value) => withoutOthers(value, names)))
  return found
}

/** The fields that are shown, by every name under which ledgers know them. */
interface Fields {
  /** A value as it is shown; undefined of one that is not. */
  shown(name: string, value: Value): Value | undefined
}

function fieldsIn(resource: Resource, { fields, value }: Showing): Fields {
  const named = new Map<string, Field>()
  for (const field of fields)
    for (const name of [field.renamedFrom, field.keptAs, field.name])
      if (name !== undefined && (name === field.name || !resource.fields.has(name))) named.set(name, field)
  return {
    shown(name, given) {
      const field = named.get(name)
      return field && value(field, given)
    },
  }
}

type Shown = (row: Row, fields: Fields, around: Around) => Row

const SHOWN: Readonly<Record<Told, Shown>> = {
  audit(row, fields) {
    const { changes } = row
    // What an erase has left names fields alone.
    if (isMap(changes) && Object.hasOwn(changes, '_action')) return row
    const shown = mapped(changes, (name, sides) =>
      isMap(sides) ? mapped(sides, (side, value) => sideShown(name, side, value, fields)) : undefined,
    )
    return { ...row, changes: mapped(shown, (_, sides) => (isEmpty(sides) ? undefined : sides)) }
  },
  versions: (row, fields) => ({ ...row, data: mapped(row['data'], fields.shown) }),
  history(row, fields, { asked }) {
    const sources = isMap(row['sources']) ? row['sources'] : {}
    let isWhole = true
    const data = mapped(row['data'], (name, value) => {
      const from = [sources[name] ?? []].flat().map(String)
      const shown = from.map((one) => fields.shown(one, value))
      if (!shown.includes(undefined)) return shown.includes(MASK) ? MASK : value
      isWhole = false
      return undefined
    })
    if (!asked.isOwn) return row
    const told = { ...without(row, ['template', 'sources']), data }
    return isWhole ? told : { ...told, label: '', detail: '' }
  },
  documents(row, _, { asked }) {
    const told = without(row, ['storage_path'])
    return asked.isOwn ? { ...told, filename: null, metadata: null } : told
  },
  notifications: (row, _, { asked }) =>
    asked.isOwn && !isAddressed(row, asked) ? { ...row, recipient: null, subject: null, body: null } : row,
}

/** One side of a change, such as `from`; what else is said of the change is no value. */
const sideShown = (name: string, side: string, value: Value, { shown }: Fields): Value | undefined =>
  side === 'from' || side === 'to' ? shown(name, value) : shown(name, null) === undefined ? undefined : value

/** Whether a message was sent to the person, who has read it then. */
function isAddressed(row: Row, { account, subject, secret }: Asked): boolean {
  if (account !== undefined && row['account'] === account.id) return true
  const { recipient = null } = row
  return formsOf(String(recipient ?? '')).some((form) => subject?.own.has(hashOf(form, secret)) === true)
}

const without = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

const isEmpty = (sides: Value): boolean => isMap(sides) && Object.keys(sides).length === 0

const isMap = (value: Value | undefined): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function mapped(kept: Value | undefined, shown: (name: string, value: Value) => Value | undefined): Row {
  return Object.fromEntries(
    Object.entries(isMap(kept) ? kept : {}).flatMap(([name, value = null]) => {
      const found = shown(name, value)
      return found === undefined ? [] : [[name, found]]
    }),
  )
}

/** The same with the mask in place of what identifies others, wherever a text holds it. */
function withoutOthers(value: Value, others: readonly string[]): Value {
  if (typeof value === 'string') {
    let text = value
    for (const other of others) text = text.replaceAll(other, MASK)
    return text
  }
  if (Array.isArray(value)) return value.map((one) => withoutOthers(one, others))
  return isMap(value) ? mapped(value, (_, one) => withoutOthers(one, others)) : value
}
