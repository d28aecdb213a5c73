import type { Action } from '@svc/kernel'
import type { Model } from '../model/model.ts'
import type { RecordInput, RecordNotes } from '../operations/operation.ts'
import type { Resource } from '../model/resource.ts'

/** How deep names of fields stand in a body: those of a record, and of records in lists that stand in an object. */
const DEPTH = 3
/** How many names of an input are looked at. */
const MOST = 2000

/** Tells whether an input names what a sheet of the model does not have, as far as that can be seen at a glance. */
export function namesUnknown(model: Model): (action: Action, input: unknown) => boolean {
  const sheets = [...model.resources.values()].filter(({ definition }) => definition.mode === 'sheet')
  const known = new Map(sheets.map((sheet) => [sheet.name, knownIn(sheet)]))
  return (action, input) => {
    const record = action.notes?.['record'] as RecordNotes | undefined
    const names = record && known.get(record.resource)
    if (names === undefined) return false
    let left = MOST
    for (const name of namesIn(input as RecordInput)) {
      if (!names.has(name)) return true
      if ((left -= 1) === 0) return false
    }
    return false
  }
}

const knownIn = ({ fields, relationships }: Resource): ReadonlySet<string> =>
  new Set([...fields.keys(), ...relationships.keys(), ...FRAME])

/** What stands in inputs beside the names of fields. */
const FRAME = ['items', 'ids', 'data', 'version', 'asc', 'desc']

function* namesIn({ data, query = {}, path = {} }: RecordInput): Iterable<string> {
  if (typeof data === 'string') yield* words(data.slice(0, Math.max(0, data.indexOf('\n'))))
  else yield* keysIn(data, DEPTH)
  for (const [key, value] of Object.entries(query)) {
    const inner = /^[^[]+\[(\w+)/.exec(key)?.[1]
    if (inner !== undefined) yield inner
    if (NAMING.has(key)) yield* words(value)
  }
  for (const key of ['field', 'column']) if (path[key] !== undefined) yield path[key]
}

/** Query parameters whose values are names. */
const NAMING: ReadonlySet<string> = new Set(['sort', 'fields', 'order', 'field'])

const words = (text: string): readonly string[] => text.match(/[A-Za-z_]\w*/g) ?? []

function* keysIn(value: unknown, depth: number): Iterable<string> {
  if (typeof value !== 'object' || value === null || depth === 0) return
  if (Array.isArray(value)) {
    for (const item of value) yield* keysIn(item, depth)
    return
  }
  for (const [key, inner] of Object.entries(value)) {
    yield key
    if (inner !== null && typeof inner === 'object') yield* keysIn(inner, depth - 1)
  }
}
