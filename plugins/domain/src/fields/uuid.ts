import { refusal } from './check/rule.ts'
import { scalarType } from './scalar-type.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const UUID_ANYHOW = new RegExp(UUID, 'i')
const NO_TEXT = refusal('type.text')
const MALFORMED = refusal('format.uuid')

/** A key is read as text, and then checked: the second look knows what the first one found. */
let latest = ''

function readUuid(text: string): string | undefined {
  if (text === latest) return latest
  if (UUID.test(text)) return (latest = text)
  return UUID_ANYHOW.test(text) ? (latest = text.toLowerCase()) : undefined
}

/** An identifier of RFC 9562, in lower case. */
export const uuid = scalarType<string>({
  name: 'uuid',
  column: 'uuid',
  uses: [],
  operators: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'null'],
  read: (value) => (typeof value === 'string' ? (readUuid(value) ?? MALFORMED) : NO_TEXT),
  rules: () => [],
  parseText: readUuid,
  openapi: () => ({ type: 'string', format: 'uuid' }),
})
