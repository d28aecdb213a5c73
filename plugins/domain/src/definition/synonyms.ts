import { nearlySpelt } from './names.ts'

/** What other systems call the keys of this language. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  baseUrl: ['url', 'uri', 'endpoint', 'host', 'address'],
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

/** What other systems call the values that some keys take. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  amqp: ['rabbitmq', 'rabbit'],
  oauth2_client_credentials: ['oauth2', 'oauth', 'client_credentials'],
  rest: ['http', 'https', 'api'],
  smtp: ['mail', 'email'],
}

/** The known value that an unknown one was probably meant to be, as `keyMeant` finds keys. */
export function valueMeant(unknown: string, known: readonly string[]): string | undefined {
  return nearlySpelt(unknown, known) ?? known.find((one) => saysTheSame(one, unknown, VALUES))
}

/** The known key that an unknown one was probably meant to be: one that is spelt nearly so, else one that says the same. */
export function keyMeant(unknown: string, known: readonly string[]): string | undefined {
  return nearlySpelt(unknown, known) ?? known.find((key) => saysTheSame(key, unknown))
}

/** The unknown key by which a known one was probably meant. */
export function keyWritten(known: string, unknown: readonly string[]): string | undefined {
  return nearlySpelt(known, unknown) ?? unknown.find((key) => saysTheSame(known, key))
}

const saysTheSame = (known: string, word: string, synonyms = SYNONYMS): boolean =>
  Object.hasOwn(synonyms, known) && synonyms[known]!.includes(word)
