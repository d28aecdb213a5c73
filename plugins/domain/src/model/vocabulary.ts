import { type Choices, type Kind, kindOfColumn, type Vocabulary } from '@svc/expression/contract'
import type { AddedFunction } from '../contract/way.ts'
import type { RowSpeech, Speech } from '../contract/site.ts'
import type { ResourceDraft } from './draft.ts'
import type { Field } from './field.ts'
import { type Owned, ownerFieldOf } from './owner.ts'

/** What an expression may speak of besides the record, by the place where it stands. */
const PLACES = {
  /** Worked out on every read, for the caller who reads. */
  virtual: { caller: true },
  /** Kept for all who read later, so it knows no caller. */
  stored: {},
  validation: { caller: true, previous: true },
  permission: { caller: true },
  guard: { caller: true },
  /** A stored record, as blocks read it. */
  read: { caller: true },
  /** A write that is done, or all but done. */
  write: { caller: true, previous: true },
} as const satisfies Record<string, Pick<Vocabulary, 'caller' | 'previous'>>
export type Place = keyof typeof PLACES

/** The functions that plugins add to expressions, by name. */
export type Functions = ReadonlyMap<string, AddedFunction>

type Machine = NonNullable<ResourceDraft['definition']['stateMachine']>

/** A resource, or what will become one. */
type Speaking = Pick<ResourceDraft, 'definition' | 'relations' | 'functions'> & Owned

/** Which fields of a resource an expression knows: columns that users have added are no names to a definition. */
type Knowing = 'declared' | 'all'

/** What expressions of a definition may speak of in a place; worked out when an expression asks. */
export const vocabularyOf = (draft: Speaking, place: Place): Vocabulary =>
  vocabularyWith(draft, place, 'declared')

function vocabularyWith(draft: Speaking, place: Place, knowing: Knowing): Vocabulary {
  const machine = draft.definition.stateMachine
  let known: Known | undefined
  // What is known once stays so for this expression, which asks several times.
  const of = () => (known ??= knownOf(draft, knowing))
  return {
    ...PLACES[place],
    get fields() {
      return of().fields
    },
    get choices() {
      return of().choices
    },
    get relations() {
      return draft.relations
    },
    get ownerField() {
      return ownerFieldOf(draft)?.name
    },
    functions: draft.functions,
    state: machine && { field: machine.field, names: statesOf(machine) },
  }
}

/** What expressions know of the fields of a resource. */
interface Known {
  readonly fields: ReadonlyMap<string, Kind>
  readonly choices: Choices
}

const knownFields = new WeakMap<ReadonlyMap<string, Field>, Map<Knowing, Known & { readonly of: number }>>()

/** The same for all expressions until there are more fields: thousands of them may hold it at once. */
function knownOf({ fields, definition: { stateMachine } }: Speaking, knowing: Knowing): Known {
  const kept = knownFields.get(fields) ?? new Map<Knowing, Known & { readonly of: number }>()
  knownFields.set(fields, kept)
  const known = kept.get(knowing)
  if (known?.of === fields.size) return known
  const some = [...fields.values()].filter(({ dynamic }) => knowing === 'all' || !dynamic)
  let choices: Choices | undefined
  const made = {
    of: fields.size,
    fields: kindsOf(some),
    get choices() {
      return (choices ??= choicesOf(some, stateMachine))
    },
  }
  kept.set(knowing, made)
  return made
}

/** What stored formulas of a definition may speak of, other records among it where it lets them look there. */
export const formulaVocabulary = (draft: Speaking & Pick<ResourceDraft, 'others'>): Vocabulary =>
  withOthers(vocabularyOf(draft, 'stored'), draft)

/** What formulas of users may speak of: the columns that they have added too. */
export const userVocabulary = (draft: Speaking & Pick<ResourceDraft, 'others'>): Vocabulary =>
  withOthers(vocabularyWith(draft, 'stored', 'all'), draft)

const withOthers = (vocabulary: Vocabulary, { others }: Pick<ResourceDraft, 'others'>): Vocabulary => ({
  ...vocabulary,
  others,
})

/** What expressions of a block may speak of. */
export function vocabularyFor(
  { resource, moment, names, parameters, variables, functions: further }: Speech | RowSpeech,
  { functions }: { readonly functions: Functions | undefined },
): Vocabulary {
  const general: Vocabulary = resource ? vocabularyOf(resource, moment) : { caller: true, functions }
  const own: Vocabulary =
    further === undefined
      ? general
      : { ...general, functions: new Map([...further, ...(general.functions ?? [])]) }
  if (names === undefined && parameters === undefined && variables === undefined) return own
  return { ...own, names, parameters, variables }
}

/** What may be said of a record that is reached: what reaches further to be worked out is not among its fields. */
export function relatedVocabulary(draft: Speaking): Vocabulary {
  const own = vocabularyOf(draft, 'permission')
  let known: { readonly of: number; readonly fields: ReadonlyMap<string, Kind> } | undefined
  return {
    // Formulas come to the fields while others that reach these are read already.
    get fields() {
      if (known?.of !== draft.fields.size)
        known = {
          of: draft.fields.size,
          fields: kindsOf(
            [...draft.fields.values()].filter(
              (field) => !field.dynamic && (!field.computed || field.computed.reach.size === 0),
            ),
          ),
        }
      return known.fields
    },
    get choices() {
      return own.choices
    },
    get relations() {
      return own.relations
    },
    get ownerField() {
      return own.ownerField
    },
    state: own.state,
  }
}

/** The kinds of fields; what is written and never shown takes no part in expressions. */
const kindsOf = (fields: Iterable<Field>): ReadonlyMap<string, Kind> =>
  new Map(
    [...fields]
      .filter(({ compiled }) => compiled.type.readable)
      .map(({ name, compiled }) => [name, kindOfColumn(compiled.type.column)]),
  )

/** The texts that fields may hold: the states of a machine, and the values of an enumeration. Nobody looks at what a formula gives. */
export const choicesOf = (
  fields: Iterable<Field>,
  machine: Speaking['definition']['stateMachine'],
): Choices =>
  new Map(
    [...fields].flatMap(({ name, enumeration, computed }) => {
      if (name === machine?.field) return [[name, statesOf(machine)]]
      return enumeration === undefined || computed !== undefined ? [] : [[name, valuesOf(enumeration)]]
    }),
  )

/** One set for all that speak of the same texts. */
function namesIn<T extends object>(listed: (of: T) => Iterable<string>): (of: T) => ReadonlySet<string> {
  const known = new WeakMap<T, ReadonlySet<string>>()
  return (of) => {
    const names = known.get(of) ?? new Set(listed(of))
    known.set(of, names)
    return names
  }
}

const statesOf = namesIn((machine: Machine) => Object.keys(machine.states))
const valuesOf = namesIn((enumeration: NonNullable<Field['enumeration']>) => enumeration.values.keys())
