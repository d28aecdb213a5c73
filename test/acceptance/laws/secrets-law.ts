import type { TestAnswer } from '../../kit/request.ts'
import type { LawRequest } from './memory.ts'

interface Secret {
  readonly field: string
  /** Callers that may read the field. */
  readonly readers: readonly string[]
}

/** What the definition hides, and from whom; a masked field may show its mask. */
const SECRETS: readonly Secret[] = [
  { field: 'aPassword', readers: [] },
  { field: 'aSecret', readers: [] },
  { field: 'margin', readers: ['eve', 'both'] },
  { field: 'budget', readers: ['bob', 'eve', 'both'] },
  { field: 'centre', readers: ['bob', 'eve', 'both'] },
]

/** Secrets that an answer about records gives away to its caller. */
export function secretsIn(
  { caller = '', path }: LawRequest,
  { status, body }: TestAnswer,
): readonly string[] {
  if (status >= 300 || !path.startsWith('/api/v1/works/')) return []
  const hidden = SECRETS.filter(({ readers }) => !readers.includes(caller)).map(({ field }) => field)
  return hidden.filter((field) => tells(body, field)).map((field) => `'${field}' is given away`)
}

/** Whether a field stands in a CSV's header, or as a member of any object with anything but its mask. */
function tells(body: unknown, field: string): boolean {
  if (typeof body === 'string')
    return body.slice(0, body.indexOf('\r\n')).split(',').includes(field) && !isMasked(field)
  if (typeof body !== 'object' || body === null) return false
  return Object.entries(body).some(([name, value]) =>
    name === field ? value !== '***' : tells(value, field),
  )
}

const isMasked = (field: string): boolean => field === 'margin' || field === 'budget'
