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

/** A resource, or what will become one. */
type Speaking = Pick<ResourceDraft, 'definition' | 'relations' | 'functions'> & Owned

/** Fields that the definition declares: columns that users have added are no names to it. */
const isDeclared = ({ dynamic }: Field): boolean => !dynamic

/** What expressions of a definition may speak of in a place; worked out when an expression asks. */
export const vocabularyOf = (draft: Speaking, place: Place): Vocabulary =>
  vocabularyWith(draft, place, isDeclared)

function vocabularyWith(draft: Speaking, place: Place, isKnown: (field: Field) => boolean): Vocabulary {
  const machine = draft.definition.stateMachine
  let fields: ReadonlyMap<string, Kind> | undefined
  let choices: Choices | undefined
  return {
    ...PLACES[place],
    get fields() {
      return (fields ??= kindsOf([...draft.fields.values()].filter(isKnown)))
    },
    get choices() {
      return (choices ??= choicesOf([...draft.fields.values()].filter(isKnown), machine))
    },
    get relations() {
      return draft.relations
    },
    get ownerField() {
      return ownerFieldOf(draft)?.name
    },
    functions: draft.functions,
    state: machine && { field: machine.field, names: new Set(Object.keys(machine.states)) },
  }
}

/** What stored formulas of a definition may speak of, other records among it where it lets them look there. */
export const formulaVocabulary = (draft: Speaking & Pick<ResourceDraft, 'others'>): Vocabulary =>
  withOthers(vocabularyOf(draft, 'stored'), draft)

/** What formulas of users may speak of: the columns that they have added too. */
export const userVocabulary = (draft: Speaking & Pick<ResourceDraft, 'others'>): Vocabulary =>
  withOthers(
    vocabularyWith(draft, 'stored', () => true),
    draft,
  )

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
              (field) => isDeclared(field) && (!field.computed || field.computed.reach.size === 0),
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
      if (name === machine?.field) return [[name, new Set(Object.keys(machine.states))]]
      return enumeration === undefined || computed !== undefined
        ? []
        : [[name, new Set(enumeration.values.keys())]]
    }),
  )
