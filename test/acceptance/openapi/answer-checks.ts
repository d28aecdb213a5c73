import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { TestAnswer } from '../../kit/request.ts'

/** Says how an answer differs from what a document promises for an operation; nothing where it keeps the promise. */
export type CheckAnswer = (method: string, path: string, answer: TestAnswer) => readonly string[]

/** Checks answers against one OpenAPI document. */
export function answerChecks(document: object): CheckAnswer {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  // The package is CommonJS: its function is the `default` of what the compiler takes for a module.
  addFormats.default(ajv)
  ajv.addSchema(document, 'document')
  return (method, path, { status, headers, body }) => {
    const response = dereferenced(document, ['paths', path, method, 'responses', String(status)])
    if (response === undefined) return [`${method} ${path} does not promise ${status}`]
    const type = headers.get('content-type')?.split(';')[0]
    if (type === undefined) return 'content' in response.value ? ['there is no content'] : []
    const pointer = [...response.pointer, 'content', type, 'schema'].map(escaped).join('/')
    const isValid = ajv.compile({ $ref: `document#/${pointer}` })
    if (isValid(body)) return []
    return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

interface Found {
  readonly value: object
  readonly pointer: readonly string[]
}

/** The object at a place of the document, where that is a reference the one that it leads to. */
function dereferenced(document: object, pointer: readonly string[]): Found | undefined {
  let value: unknown = document
  for (const key of pointer) value = isObject(value) ? value[key] : undefined
  if (!isObject(value)) return undefined
  const { $ref } = value
  return typeof $ref === 'string' ? dereferenced(document, $ref.slice(2).split('/')) : { value, pointer }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** One step of a JSON pointer (RFC 6901) inside an address. */
const escaped = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
