import type { Caller } from '@svc/kernel'
import type { Codec, Column, ColumnKind, Condition, Index, Reader, Value, Writing } from '@svc/store/contract'
import type { z } from 'zod'
import type { Params } from '../speech/params.ts'
import type { Definition } from '../definition/schema/definition.ts'
import type { FieldDefinition } from '../definition/schema/field.ts'
import type { Text } from '../definition/schema/text.ts'

/** The comparisons that a filter can ask for. */
export const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like', 'in', 'null'] as const
export type Operator = (typeof OPERATORS)[number]

/** Attributes that every field may carry and that mean something for some types only. */
export const BOUNDS = ['minLength', 'maxLength', 'min', 'max', 'pattern', 'enum'] as const
export type Bound = (typeof BOUNDS)[number]

/** Why a value is refused; `path` leads into the value where it is a list or an object. */
export interface ValueFault {
  readonly rule: string
  /** The key of the sentence among `SENTENCES` that says it; that of the rule's name unless said. */
  readonly sentence?: string | undefined
  /** Says it in English in place of any sentence; where there are params, `{name}` stands for one of them. */
  readonly message?: string
  /** What a message about it is made of, in whatever words. */
  readonly params?: Params
  readonly path?: string
}

/** A value that fits nothing: all that is wrong with it. */
export interface Refused {
  readonly faults: readonly ValueFault[]
}

/** What a check has done to a value that whoever sent it should know of; `path` leads into the value, as of a fault. */
export interface Remark {
  readonly rule: string
  /** Goes on from the field's name: `was cleaned of 2 comments`. */
  readonly message: string
  readonly path?: string
}

/** A value as it is stored. */
export interface Accepted {
  readonly value: Value
  /** They become warnings of the answer. */
  readonly remarks?: readonly Remark[]
}

/** A value as it is stored, or why it cannot be. Null never reaches a check. */
export type Checked = Accepted | Refused

/** Checks one JSON value and brings it into stored form, for example a date-time into UTC. */
export type Check = (value: Value) => Checked

/** Reads a filter's text; undefined where it cannot be read as this type. */
export type ParseText = (text: string) => Exclude<Value, null> | undefined

/** A share of an OpenAPI schema. */
export type Schema = Readonly<Record<string, unknown>>

/** A field inside a value: of a component, of a repeater's items, or of a block. */
export interface Member extends CompiledType {
  /** Its name for people. */
  readonly label?: Text | undefined
  readonly required: boolean
  /** In stored form; taken where the member is absent. */
  readonly default?: Value | undefined
}
export type Members = ReadonlyMap<string, Member>

/** Where a field of a resource stands. */
export interface FieldPlace {
  /** The whole definition, as it is written but for its variables. */
  readonly domain: Definition
  readonly resource: string
  readonly field: string
}

/** What a type may ask while it compiles a field. */
export interface FieldContext {
  /** The allowed values of the field's enumeration, where it has one. */
  readonly allowed: readonly string[] | undefined
  /**
   * Compiles a field inside the field: an item of a list, a member of a component. What `around` says that only the type of
   * the inner one knows counts for that, unless it says it itself.
   */
  compile(definition: string | FieldDefinition, around?: FieldDefinition): CompiledType
  /** The blocks that the definition declares, by name. Read it in a check: it may fill up until then. */
  readonly blocks: ReadonlyMap<string, Members>
}

/** The columns of one field. */
export interface FieldColumns {
  /** Where its values are stored. */
  readonly value: Column
  /** What is derived from them, by the names of the derivations. */
  readonly derived: Readonly<Record<string, Column>>
}

/**
 * A value that is kept beside each of the field's own in a column which nobody is shown, for filters to look at. Every
 * write of the field renews it, and a migration works it out for the records that are there. A derivation that is to
 * mean something else gets another name.
 */
export interface Derivation {
  readonly column: ColumnKind
  /** Whether an index covers it. */
  readonly index?: boolean
  /** Works it out of a value in stored form; pure. Null is derived from null. */
  derive(value: Exclude<Value, null>): Value
}

/**
 * An index that a type brings for its own comparisons. A store without the feature that it needs does without it.
 */
export type FieldIndex =
  | {
      /** Names of derivations whose columns it covers, in the order of its places; the field's own column unless said. */
      readonly derived?: readonly string[]
      /** The SQL that makes it. */
      readonly writings: readonly Writing[]
    }
  | {
      readonly derived?: undefined
      /** It finds geometries of GeoJSON, which are the field's values. */
      readonly spatial: NonNullable<Index['spatial']>
    }

/** A comparison that a type brings itself: `filter[place][bbox]=…`. */
export interface Filter {
  /** What it asks, for documents: `Lies in this box`. */
  readonly description: string
  /** The schema of the query parameter; text unless said. */
  readonly schema?: Schema
  /** Makes the condition of a filter's text; a text says why there is none, going on from the parameter's name. */
  condition(text: string, columns: FieldColumns): Condition | string
}

/** What values hold inside: the items of a list, the fields of an object, or those of the block that an object names. */
export type Inside =
  | { readonly items: Inner }
  | { readonly fields: Members }
  /** An object `{type, data}`, whose `type` says which fields `data` has. */
  | { readonly blocks: ReadonlyMap<string, Members> }

/** Something inside a value: a field, or a form without a type of its own, as the items of a repeater are. */
export type Inner = CompiledType | { readonly type?: undefined; readonly members: Inside }

/** A field type bound to one field's attributes. */
export interface CompiledType {
  readonly type: FieldType
  readonly check: Check
  readonly parseText: ParseText
  readonly openapi: Schema
  /** Of numbers: the most digits after the point, where there is a most. */
  readonly scale?: number
  /** A value that fits the field, where that of its type may not. */
  readonly example?: Value
  /** What the schema endpoint says of the field beside what it says of all; a name of its own is not overwritten. */
  readonly facts?: Readonly<Record<string, Value>>
  /** Comparisons beside those of `operators`, by the names that a filter gives them. */
  readonly filters?: Readonly<Record<string, Filter>>
  /** What is kept beside the values of a field, by name; fields inside other fields keep nothing. */
  readonly derived?: Readonly<Record<string, Derivation>>
  /**
   * Less of a value in stored form, for a list that asks for it by `simplify`: what may be left out without the rest moving
   * by more than so much. A field without it has nothing to leave out.
   */
  simplify?(value: Exclude<Value, null>, tolerance: number): Value
  /** Indexes over the field's columns besides those of derivations, by name. */
  readonly indexes?: Readonly<Record<string, FieldIndex>>
  /**
   * Another form of the values at rest, such as their ciphertext: in the column, in ledgers, in kept answers. Such a field
   * is filtered by `null` alone, whatever its type says, neither sorted by nor searched, and no key, owner or state.
   */
  readonly codec?: Codec
  /**
   * With a codec: the name of a derivation that is equal for equal values, such as a keyed hash. Filters of `eq`, `ne` and
   * `in`, distinct values, `unique` and an index of the field alone go by that.
   */
  readonly equality?: string
  /** What stands inside of values; `walk` goes through it. */
  readonly members?: Inside
  /**
   * Checks that the store has to be asked for: the faults of each value, in their order. All values that one request brings
   * for the fields of a type are asked about together, those inside of others too. It runs inside the transaction of the
   * write, and again with that, and awaits nothing but the reader; where a body is at fault already it runs before that,
   * so that all faults are told at once.
   */
  verify?(candidates: readonly Candidate[], around: Verification): Promise<readonly (readonly ValueFault[])[]>
  /** The ids of what a value in stored form refers to, such as files; what stands inside of it speaks for itself. */
  refersTo?(value: Exclude<Value, null>): readonly string[]
}

/** What a type makes of a field; `type` where that is a field of another type in truth, such as a list. */
export type BoundType = Omit<CompiledType, 'type'> & Partial<Pick<CompiledType, 'type'>>

/** A value in stored form that is about to be written. */
export interface Candidate {
  readonly value: Exclude<Value, null>
  /** The values of the same type that the record's field holds until now, in whatever place. */
  readonly before: readonly Value[]
}

/** For whom values are verified, and by what. */
export interface Verification {
  readonly reader: Reader
  /**
   * Whether the write follows in the same transaction: what it relies on may be held for it then, by a select that
   * locks.
   */
  readonly isWriting: boolean
  readonly domain: string
  readonly caller: Caller
}

/** The schema of a field, for attributes that hold fields. */
export type FieldSchema = z.ZodType<string | FieldDefinition>

/** What an attribute may hold; a function where it holds fields. */
export type AttributeSchema = z.ZodType | ((field: FieldSchema) => z.ZodType)

/** One kind of value: all that the engine needs to know of it, in one place. */
export interface FieldType {
  readonly name: string
  readonly aliases: readonly string[]
  /** How values are stored. */
  readonly column: ColumnKind
  /** Attributes that this type adds to the language. */
  readonly attributes: Readonly<Record<string, AttributeSchema>>
  /** The common attributes that bound this type's values. */
  readonly uses: readonly Bound[]
  readonly operators: readonly Operator[]
  readonly sortable: boolean
  /** Takes part in `search`. */
  readonly searchable: boolean
  /** False: values are written and never shown, not even to those who wrote them. */
  readonly readable: boolean
  /** Set by the service alone; a client's value is refused as read only. */
  readonly generated: boolean
  /** Binds the type to a field. Throws FieldTypeError where an attribute makes no sense. */
  compile(definition: FieldDefinition, context: FieldContext): BoundType
  /** A value that fits a field without bounds of its own: documents offer it to readers. */
  readonly example?: Value
  /** Makes a value for a create that brings none; undefined leaves it to default or null. */
  make?(random: (size: number) => Uint8Array): Value
}

/** A type of values that are shown, and of which all that can be asked is whether they are there. */
export const ASKED_FOR_NULL = Object.freeze({
  uses: [],
  operators: ['null'],
  sortable: false,
  searchable: false,
  readable: true,
  generated: false,
} as const satisfies Partial<FieldType>)
