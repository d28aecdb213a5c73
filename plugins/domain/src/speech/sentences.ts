import type { Value } from '@svc/store/contract'
import type { Params } from './params.ts'
import type { Fault } from './speech.ts'

/** What the service says by itself about one kind of fault. */
export interface Sentence {
  /** In English; `{name}` stands for a parameter, or for `field`, `label` or `type`, which every fault has. */
  readonly text: string
  /** The parameters that every fault of this kind brings. */
  readonly params: readonly string[]
}

const say = <const P extends readonly string[]>(text: string, ...params: P) =>
  ({ text, params }) satisfies Sentence

/**
 * Every sentence of the service about an input. One of the name of a rule speaks of that rule in general; after a point
 * it is about one way to break it, for which the general one does where a language has no other.
 */
export const SENTENCES = {
  type: say('is of a wrong type'),
  'type.text': say('must be text'),
  'type.number': say('must be a number'),
  'type.integer': say('must be a whole number from -9007199254740991 to 9007199254740991'),
  'type.boolean': say('must be true or false'),
  'type.list': say('must be a list'),
  'type.object': say('must be an object'),
  'type.block': say('must be an object {type, data}'),
  'type.blockName': say('must be the name of a block'),
  'type.null': say('must not be null'),
  'type.finite': say('must not hold a number beyond the range of a double'),
  'type.body': say('The body must be a JSON object'),
  'type.switch': say("'{field}' must be true or false"),
  'type.names': say("'{field}' must be a list of field names"),

  required: say("'{field}' is required"),
  'required.null': say("'{field}' must not be null"),
  'required.inside': say('is required'),
  'required.source': say("'{field}' is required, or '{from}', which it is made from", 'from'),
  'required.transition': say("'{field}' is required for '{transition}'", 'transition'),
  'required.rows': say("Send a list, bare or as '{field}'"),
  'required.key': say("'{field}' says which record is meant"),

  enum: say('must be one of {values}', 'values'),
  'enum.more': say('must be one of {values} and {more} more', 'values', 'more'),
  'enum.block': say('is no declared block', 'values'),
  'enum.similarBlock': say("is no declared block; did you mean '{meant}'?", 'values', 'meant'),

  minLength: say('must be at least {limit} characters long', 'limit'),
  'minLength.one': say('must be at least {limit} character long', 'limit'),
  maxLength: say('must be at most {limit} characters long', 'limit'),
  'maxLength.one': say('must be at most {limit} character long', 'limit'),
  'maxLength.bytes': say('must be at most {limit} bytes long', 'limit'),
  'maxLength.key': say("'{field}' is a key: it must be at most {limit} characters long", 'limit'),
  min: say('must be {limit} or more', 'limit'),
  max: say('must be {limit} or less', 'limit'),
  pattern: say('must match the pattern {pattern}', 'pattern'),

  format: say('is malformed'),
  'format.color': say('must be a colour as #RGB, #RRGGBB or #RRGGBBAA'),
  'format.country': say('must be a country code of ISO 3166-1 with two capital letters, as in DE'),
  'format.currency': say('must be a currency code of ISO 4217 with three capital letters, as in EUR'),
  'format.date': say('must be a date as YYYY-MM-DD'),
  'format.datetime': say('must be a date-time with its offset, as in 2026-03-01T09:30:00Z'),
  'format.decimals': say('must have at most {limit} decimal places', 'limit'),
  'format.email': say('must be an email address, as in name@example.com'),
  'format.language': say('must be a language tag of BCP 47, as in en or pt-BR'),
  'format.phone': say('must be a phone number, as in +4930123456 or 030123456'),
  'format.slug': say('must be lower-case letters and digits in words joined by single hyphens'),
  'format.time': say('must be a time as HH:MM, HH:MM:SS or HH:MM:SS.fff'),
  'format.timezone': say('must be a time zone of the IANA database, as in Europe/Berlin'),
  'format.url': say('must be an http or https address, as in https://example.com/page'),
  'format.uuid': say('must be a UUID, as in 0192b5a4-7c1e-7def-8abc-0123456789ab'),
  'format.whole': say('must be a whole number'),

  unknown: say("'{field}' is not known here"),
  'unknown.field': say("'{resource}' has no field '{name}'", 'resource', 'name'),
  'unknown.similarField': say(
    "'{resource}' has no field '{name}'; did you mean '{meant}'?",
    'resource',
    'name',
    'meant',
  ),
  'unknown.fields': say("'{resource}' has no field of {more} further names either", 'resource', 'more'),
  'unknown.stored': say("'{resource}' has no stored field '{name}'", 'resource', 'name'),
  'unknown.member': say('is not declared'),
  'unknown.similarMember': say("is not declared; did you mean '{meant}'?", 'meant'),
  'unknown.block': say('is not part of a block, which has type and data'),
  'unknown.key': say("'{field}' is not known here; known are {known}", 'known'),

  immutable: say("'{field}' cannot change once the record exists"),
  unique: say("'{field}' is taken"),
  reference: say("There is no {target} '{value}'", 'target', 'value'),

  items: say('does not hold the items that it should'),
  'items.min': say('must hold at least {limit} items', 'limit'),
  'items.minOne': say('must hold at least {limit} item', 'limit'),
  'items.max': say('must hold at most {limit} items', 'limit'),
  'items.maxOne': say('must hold at most {limit} item', 'limit'),
  'items.twice': say('must not stand twice in a set'),

  expression: say("'{expression}' does not hold", 'expression'),
  invalid_geometry: say('must be a valid geometry'),
  geometry_type_mismatch: say('must be a geometry of another type'),
  svg: say('must be an SVG image without anything that runs'),
} as const

export type SentenceKey = keyof typeof SENTENCES

type ParamName<K extends SentenceKey> = (typeof SENTENCES)[K]['params'][number]

/** The sentences of no parameters. */
export type BareKey = { [K in SentenceKey]: [ParamName<K>] extends [never] ? K : never }[SentenceKey]

/** The parameters that a sentence needs, by name; there may be more of them. */
type ParamsFor<K extends SentenceKey> = Params & Readonly<Record<ParamName<K>, Value>>

/** A fault in the words of the table: what it is about stays to be said. */
export type Finding = Pick<Fault, 'rule' | 'sentence'> & { readonly params: Params }

/** What is wrong, by its sentence and what that is made of; for a sentence of no parameters that is nothing. */
export function finding<K extends SentenceKey>(
  key: K,
  ...[params = NONE]: [ParamName<K>] extends [never] ? [params?: Params] : [params: ParamsFor<K>]
): Finding {
  const dot = key.indexOf('.')
  return dot === -1 ? { rule: key, params } : { rule: key.slice(0, dot), sentence: key, params }
}

const NONE: Params = Object.freeze({})

const byKey: ReadonlyMap<string, Sentence> = new Map(Object.entries(SENTENCES))
const NO_SENTENCE = 'is not valid'

/** What is said of a fault in English: its own message, else the most exact sentence that there is. */
export const templateOf = ({
  message,
  sentence,
  rule,
}: Pick<Fault, 'message' | 'sentence' | 'rule'>): string =>
  message ??
  (sentence === undefined ? undefined : byKey.get(sentence)?.text) ??
  byKey.get(rule)?.text ??
  NO_SENTENCE
