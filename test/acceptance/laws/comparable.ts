import type { TestAnswer } from '../../kit/request.ts'

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g

/** The name of the request, and the length of a body that holds what differs. */
const OWN: ReadonlySet<string> = new Set(['x-request-id', 'content-length'])

/** What two stores have to agree on in an answer. */
export const comparable = ({ status, headers, body }: TestAnswer) => ({
  status,
  headers: Object.fromEntries([...headers].filter(([name]) => !OWN.has(name))),
  body: told(typeof body === 'string' ? cellsOf(body) : body),
})

/** All of a value that does not depend on timing or on which of two truths a store tells. */
function told(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(told)
  if (typeof value !== 'object' || value === null) return value
  const left = untold(value)
  const kept = Object.entries(value).filter(([name]) => !left.includes(name))
  return Object.fromEntries(kept.map(([name, part]) => [name, told(part)]))
}

function untold(value: object): readonly string[] {
  // A record that clashes with two others is told of the clash that its store meets first: either is true.
  if ('error_code' in value && value.error_code === 'DUPLICATE') return ['error_message', 'errors']
  // The audit of requests measures real time, and names its entries when it writes them down.
  return 'durationMs' in value ? ['durationMs', 'id'] : []
}

/** The cells of a CSV, with JSON read: stores keep the members of an object in an order of their own. */
function cellsOf(text: string): readonly unknown[] {
  return [...text.matchAll(CELL)].map(([, quoted, plain, end]) => {
    const cell = quoted?.replaceAll('""', '"') ?? plain!
    return [/^[[{]/.test(cell) ? JSON.parse(cell) : cell, end]
  })
}
