import { finding } from '../speech/sentences.ts'
import { rule } from './check/rule.ts'
import { refusal } from './check/rule.ts'
import { scalarType } from './scalar-type.ts'
import { textRules, textSchema } from './text-type.ts'

/** The shortest password in code points, unless `minLength` says otherwise. */
const MIN_LENGTH = 8
/** The longest password in bytes: hashing a longer one costs more than any need for it. */
const MAX_BYTES = 1024

const NO_TEXT = refusal('type.text')
const notTooLong = rule<string>(
  finding('maxLength.bytes', { limit: MAX_BYTES }),
  (text) => Buffer.byteLength(text) <= MAX_BYTES,
)

/** A secret that is written, kept as a hash and never shown. The check answers it as written: hash it before it is stored. */
export const password = scalarType<string>({
  name: 'password',
  column: 'text',
  uses: ['minLength', 'maxLength', 'pattern'],
  operators: [],
  sortable: false,
  readable: false,
  read: (value) => (typeof value === 'string' ? value : NO_TEXT),
  rules: (definition) => [...textRules({ minLength: MIN_LENGTH, ...definition }, undefined), notTooLong],
  parseText: () => undefined,
  openapi: (definition) => ({
    ...textSchema({ minLength: MIN_LENGTH, ...definition }, { allowed: undefined }),
    format: 'password',
    writeOnly: true,
  }),
})
