import type { Action } from '@svc/kernel'
import { fieldFault } from './errors.ts'

/**
 * Takes the input from the body and the path alone: what secrets a body holds must not be taken from an address,
 * which logs keep. A key of the body that the path has already is unknown.
 */
export const bodyAndPath: NonNullable<Action['bind']> = (request, body) => {
  if (body === undefined) return { ...request.params }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const twice = Object.keys(request.params).find((name) => Object.hasOwn(body, name))
  if (twice !== undefined) throw fieldFault(twice, 'unknown', `'${twice}' is not known here`)
  return { ...body, ...request.params }
}
