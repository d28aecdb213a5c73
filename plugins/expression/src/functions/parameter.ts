import type { Value } from '@svc/store/contract'
import { type Instant, readInstant } from '../values/instant.ts'
import { isList, isTemporal, type Kind } from '../values/kind.ts'
import { asText } from '../values/text.ts'

/** What each kind of parameter is read into. */
interface Read {
  text: string
  number: number
  /** A number without a fraction. */
  whole: number
  /** A date or date-time, or a text of such a shape. */
  instant: Instant
  list: readonly Value[]
  /** A list without its nulls; null is the empty list. */
  items: readonly Value[]
  /** A number, or a list of numbers and nulls without its nulls. */
  numbers: readonly number[]
  /** A text, or a list of texts and nulls without its nulls. */
  texts: readonly string[]
  /** A text, number or boolean as text. */
  scalar: string
  /** Every value, null too. */
  any: Value
}
export type Parameter = keyof Read

/** The arguments of a call: parameters that are left out or repeated make the tuple shorter or longer. */
export type ArgumentsOf<P extends readonly Parameter[]> = { readonly [I in keyof P]: Read[P[I]] }

interface Reader<T> {
  /** Undefined where the value is null or of another type. */
  read(value: Value): T | undefined
  /** Whether values of the kind can be read, as far as the kind tells. */
  fits(kind: Kind): boolean
  /** What is wanted, in words. */
  readonly wants: string
}

const isTextual = (kind: Kind): boolean => kind === 'text' || isTemporal(kind)

const READERS: { readonly [P in Parameter]: Reader<Read[P]> } = {
  text: {
    read: (value) => (typeof value === 'string' ? value : undefined),
    fits: isTextual,
    wants: 'a text',
  },
  number: {
    read: (value) => (typeof value === 'number' ? value : undefined),
    fits: (kind) => kind === 'number',
    wants: 'a number',
  },
  whole: {
    read: (value) => (typeof value === 'number' && Number.isInteger(value) ? value : undefined),
    fits: (kind) => kind === 'number',
    wants: 'a whole number',
  },
  instant: { read: readInstant, fits: isTextual, wants: 'a date or date-time' },
  list: {
    read: (value) => (isList(value) ? value : undefined),
    fits: (kind) => kind === 'list',
    wants: 'a list',
  },
  items: { read: withoutNulls, fits: (kind) => kind === 'list', wants: 'a list' },
  numbers: {
    read: (value) => oneOrMany(value, isNumber),
    fits: (kind) => kind === 'number' || kind === 'list',
    wants: 'a number or a list of numbers',
  },
  texts: {
    read: (value) => oneOrMany(value, isText),
    fits: (kind) => isTextual(kind) || kind === 'list',
    wants: 'a text or a list of texts',
  },
  scalar: {
    read: asText,
    fits: (kind) => isTextual(kind) || kind === 'number' || kind === 'boolean',
    wants: 'a text, number or boolean',
  },
  any: { read: (value) => value, fits: () => true, wants: 'a value' },
}

/** What a parameter wants, in words, where values of the kind cannot be that. */
export function misfit(parameter: Parameter, kind: Kind): string | undefined {
  const { fits, wants } = READERS[parameter]
  return kind === 'unknown' || kind === 'null' || fits(kind) ? undefined : wants
}

/** What a parameter wants, in words, where this value is not that. */
export function misfitValue(parameter: Parameter, value: Value): string | undefined {
  const { read, wants } = READERS[parameter]
  return value === null || read(value) !== undefined ? undefined : wants
}

/** Reads the arguments of a call; undefined where one cannot be read. The last parameter reads all further ones. */
export function readArguments<P extends readonly Parameter[]>(
  takes: P,
  values: readonly Value[],
): ArgumentsOf<P> | undefined {
  const args: unknown[] = []
  for (let i = 0; i < values.length; i++) {
    const parameter = takes[Math.min(i, takes.length - 1)]
    const read = parameter && READERS[parameter].read(values[i] ?? null)
    if (read === undefined) return undefined
    args.push(read)
  }
  // The readers of `takes` made these; a mapped tuple cannot be filled in a way that the compiler follows.
  return args as unknown as ArgumentsOf<P>
}

function withoutNulls(value: Value): readonly Value[] | undefined {
  if (value === null) return []
  return isList(value) ? value.filter((one) => one !== null) : undefined
}

function oneOrMany<T extends Value>(
  value: Value,
  is: (value: Value) => value is T,
): readonly T[] | undefined {
  if (is(value)) return [value]
  const many = value === null ? undefined : withoutNulls(value)
  return many?.every(is) ? many : undefined
}

const isNumber = (value: Value): value is number => typeof value === 'number'
const isText = (value: Value): value is string => typeof value === 'string'
