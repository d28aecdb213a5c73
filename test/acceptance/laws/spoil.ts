import type { Random } from '../../kit/random.ts'
import { oddHeaders, SEGMENTS, spoiledBody, spoiledQuery } from './hostile.ts'
import type { LawRequest } from './memory.ts'

const METHODS = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET', 'PROPFIND']

/** A request that is wrong here and there; `template` is the path of its route. */
export function spoiled(request: LawRequest, template: string, random: Random): LawRequest {
  const method = random.chance(0.04) ? random.pick(METHODS) : request.method
  const path = random.chance(0.1) ? spoiledPath(request.path, template, random) : request.path
  const { body, ...rest } = request
  const takesBody = method !== 'GET' && method !== 'HEAD'
  const sent = takesBody && random.chance(0.35) ? spoiledBody(body, random) : body
  return {
    ...rest,
    method,
    path,
    query: random.chance(0.3) ? spoiledQuery(request.query, random) : request.query,
    headers: { ...request.headers, ...(random.chance(0.2) && oddHeaders(random)) },
    ...(takesBody && sent !== undefined && { body: sent }),
  }
}

/** Puts something odd in place of a parameter, or of any other part. */
function spoiledPath(path: string, template: string, random: Random): string {
  const parts = path.split('/')
  const parameters = template.split('/').flatMap((part, at) => (part.startsWith(':') ? [at] : []))
  const at =
    parameters.length > 0 && random.chance(0.8) ? random.pick(parameters) : 1 + random.int(parts.length - 1)
  return parts.with(at, random.pick(SEGMENTS)).join('/')
}
