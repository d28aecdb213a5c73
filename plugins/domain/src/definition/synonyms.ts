import { nearlySpelt } from './names.ts'

/** What other systems call the keys of this language. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  condition: ['if', 'when', 'where'],
  default: ['defaultValue', 'initialValue'],
  computed: ['virtual', 'virtuals', 'formulas', 'calculated'],
  enum: ['values', 'options', 'choices', 'allowed', 'oneOf'],
  maxLength: ['length', 'size', 'limit'],
  object: ['fields', 'attributes', 'columns', 'schema'],
  on: ['event', 'events'],
  pattern: ['regex', 'regexp', 'match'],
  permissions: ['access', 'acl', 'policies', 'auth', 'roles'],
  relationships: ['relations', 'references', 'associations', 'links'],
  required: ['mandatory', 'notNull', 'nonNull'],
  scale: ['decimals', 'decimalPlaces', 'precision'],
  stateMachine: ['states', 'status', 'workflow', 'lifecycle'],
  target: ['resource', 'model', 'entity', 'collection', 'table', 'to', 'references'],
}

/** The known key that an unknown one was probably meant to be: one that is spelt nearly so, else one that says the same. */
export function keyMeant(unknown: string, known: readonly string[]): string | undefined {
  return nearlySpelt(unknown, known) ?? known.find((key) => saysTheSame(key, unknown))
}

/** The unknown key by which a known one was probably meant. */
export function keyWritten(known: string, unknown: readonly string[]): string | undefined {
  return nearlySpelt(known, unknown) ?? unknown.find((key) => saysTheSame(known, key))
}

const saysTheSame = (known: string, word: string): boolean =>
  Object.hasOwn(SYNONYMS, known) && SYNONYMS[known]!.includes(word)
