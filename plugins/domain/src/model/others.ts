import {
  type Crossing,
  type Kind,
  kindOfColumn,
  type Other,
  type Others,
  untranslatable,
} from '@svc/expression/contract'
import { type Column, SCALAR_TYPES } from '@svc/store/contract'
import type { ResourceDraft } from './draft.ts'
import type { Field } from './field.ts'
import { choicesOf } from './vocabulary.ts'

/** The resources that formulas of a sheet may look into, with the columns of their fields. */
export interface Crossable extends Others {
  columnsOf(name: string): ReadonlyMap<string, Column>
  /** The same before anything is known of formulas but their names. */
  readonly unread: Others
}

/** The resources of a model, as formulas may look into them: `drafts` is asked when their fields are known. */
export function crossable(drafts: () => ReadonlyMap<string, ResourceDraft>): Crossable {
  const known = new Map<string, Known>()
  const knownOf = (name: string): Known | undefined => {
    const draft = drafts().get(name)
    if (draft === undefined) return undefined
    const found = known.get(name)
    // Formulas come to the fields while others that look into these are read already.
    if (found?.size === draft.fields.size) return found
    const made = knownFrom(draft)
    known.set(name, made)
    return made
  }
  return {
    get names() {
      return drafts().keys()
    },
    of: (name) => knownOf(name)?.other,
    unread: {
      names: [],
      of(name) {
        const draft = drafts().get(name)
        if (draft === undefined) return undefined
        const names = [...draft.fields.keys(), ...draft.formulas.keys()]
        return { fields: new Map(names.map((one) => [one, 'unknown'])), functions: draft.functions }
      },
    },
    columnsOf: (name) => knownOf(name)?.columns ?? NONE,
  }
}

const NONE: ReadonlyMap<string, Column> = new Map()

interface Known {
  readonly size: number
  readonly other: Other
  readonly columns: ReadonlyMap<string, Column>
}

function knownFrom({ definition, fields, functions }: ResourceDraft): Known {
  const seen = [...fields.values()].filter(isCrossable)
  return {
    size: fields.size,
    other: {
      fields: new Map(seen.map((field) => [field.name, kindOf(field)])),
      choices: choicesOf(seen, definition.stateMachine),
      functions,
    },
    columns: new Map(seen.flatMap(({ name, column }) => (column ? [[name, column]] : []))),
  }
}

/** Whether formulas of other records may read a field: one that is stored, in the clear, and can be shown. */
export const isCrossable = ({ column, compiled, overrides }: Field): boolean =>
  column !== undefined && column.codec === undefined && compiled.type.readable && overrides === undefined

const kindOf = ({ compiled }: Field): Kind => kindOfColumn(compiled.type.column)

/** What no store can work out of a crossing, in words; undefined where there is nothing. */
export function crossingFault({ resource, field, asks }: Crossing, others: Crossable): string | undefined {
  if (asks.kind === 'lookup') return undefined
  const columns = others.columnsOf(resource)
  const { filter, fn } = asks
  const column = columns.get(field)
  if (fn !== 'count' && (column === undefined || SCALAR_TYPES[column.kind] === undefined))
    return `'${field}' holds lists or objects, of which there is no ${fn}`
  const found = filter && untranslatable(filter, { vocabulary: filter.vocabulary, columns })
  return found && `the filter of 'aggregate' cannot be asked of the database: ${found.reason}`
}
