import { type SentenceKey, SENTENCES } from '@svc/domain/contract'
import { type ByTag, type Layer, NONE } from './layers.ts'

/** The checks of inputs, whose messages anybody may say in other words. */
export const RULES: readonly SentenceKey[] = [
  'type',
  'required',
  'enum',
  'minLength',
  'maxLength',
  'min',
  'max',
  'pattern',
  'format',
  'unknown',
  'immutable',
  'unique',
  'reference',
  'items',
  'expression',
  'invalid_geometry',
  'geometry_type_mismatch',
  'svg',
]

/** What messages may name, beside the parameters of their fault. */
export const MESSAGE_NAMES = ['label', 'field', 'limit', 'values', 'type'] as const

export const messageKey = (rule: string): string => `validation.messages.${rule}`

const english = (text: string): ByTag => new Map([['en', text]])

const TEXTS: ReadonlyMap<string, ByTag> = new Map([
  ...RULES.map((rule) => [messageKey(rule), english(SENTENCES[rule].text)] as const),
  ['formats.true', english('Yes')],
  ['formats.false', english('No')],
])

/** What the service says by itself, in English. */
export const BUILT_IN: Layer = { of: (key) => TEXTS.get(key) ?? NONE, keys: () => TEXTS.keys() }
