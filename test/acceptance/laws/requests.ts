import type { Random } from '../../kit/random.ts'
import { BODIES, type BodyPlace, changeFor, keyFor } from './bodies.ts'
import type { LawRequest, Memory } from './memory.ts'
import { encoded, ledgerParameters, parametersFor } from './queries.ts'
import type { ResourceShape, RouteShape, Shape } from './shape.ts'

export interface RequestOptions {
  readonly resources: ReadonlyMap<string, ResourceShape>
  readonly random: Random
  readonly memory: Memory
  /** How likely each part of a request is not what the server expects there. */
  readonly wild: number
  /** Who may send it; undefined is a stranger. */
  readonly callers: readonly (string | undefined)[]
}

type Place = RequestOptions & { readonly resource: ResourceShape }

/** Makes a request for a record action: an address, a query, headers and a body that belong to it. */
export function requestFor(route: RouteShape, resource: ResourceShape, options: RequestOptions): LawRequest {
  const { random } = options
  const place: Place = { ...options, resource }
  const path = pathOf(route, place)
  const caller = random.pick(options.callers)
  const body = bodyOf(route, place)
  return {
    method: route.method,
    path,
    query: queryOf(route, path, place),
    ...(caller !== undefined && { caller }),
    headers: headersOf(route.method, path, options),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
}

const LEDGERS = /^(audit|versions|history)$/
const LISTS = /^(list|count|distinct|export|get|tasks|urgent|children|tags|moves)$/

function queryOf(route: RouteShape, path: string, place: Place): string {
  const { operation, method } = route
  const { random, wild, memory } = place
  if (LEDGERS.test(operation)) return encoded(ledgerParameters(random, wild))
  if (!LISTS.test(operation)) return random.chance(wild / 4) ? 'nonsense=1' : ''
  const next = method === 'GET' && random.chance(0.2) ? memory.next(path) : undefined
  return next ?? encoded(parametersFor(answered(route, place) ?? place.resource, random, wild))
}

/** The resource whose records a route answers: of a relationship its target, of a ledger none. */
export function answered(
  route: RouteShape,
  { resources }: Pick<Shape, 'resources'>,
): ResourceShape | undefined {
  if (LEDGERS.test(route.operation)) return undefined
  const target = route.resource?.relationships[route.operation]?.resource.toLowerCase()
  return target === undefined ? route.resource : resources.get(target)
}

/** Fills the parameters of a route: of a nested one the parent that the record has. */
function pathOf({ path, operation }: RouteShape, place: Place): string {
  const { resource, memory, random, wild } = place
  const deleted = operation === 'restore' ? memory.deleted(resource.name, random) : undefined
  const own = deleted ?? keyFor(resource.name, place)
  const value = (name: string): string => {
    if (name === 'id') return own
    if (name === 'field') return random.pick(resource.fields).name
    if (name === 'transition') return random.pick([...resource.transitions, 'nonsense'])
    const parent = memory.value(resource.name, own, name)
    if (typeof parent === 'string' && random.chance(1 - wild)) return parent
    if (name === 'targetId') return keyFor(resource.name === 'Tag' ? 'task' : 'tag', place)
    return keyFor(name.replace(/Id$/, ''), place)
  }
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(value(name)))
}

function bodyOf({ method, operation }: RouteShape, place: BodyPlace): unknown {
  if (method === 'GET') return undefined
  const make = BODIES[operation]
  if (make) return make(place)
  if (method === 'DELETE') return undefined
  return place.random.chance(0.4) ? {} : changeFor(place)
}

function headersOf(
  method: string,
  path: string,
  { random, memory, wild }: RequestOptions,
): Record<string, string> {
  const headers: Record<string, string> = {}
  const tag = () =>
    random.chance(1 - wild) ? (memory.tag(path) ?? '*') : random.pick(['"x"', '*', 'W/"1-a"', '"1-a", "2-b"'])
  if (random.chance(0.15)) headers[method === 'GET' ? 'if-none-match' : 'if-match'] = tag()
  if (method === 'POST' && random.chance(0.1)) headers['idempotency-key'] = `key ${random.int(8)}`
  if (random.chance(0.1)) headers['prefer'] = 'handling=strict'
  if (random.chance(0.1))
    headers['accept-language'] = random.pick(['de', 'de-AT;q=0.9, en;q=0.1', 'fr', 'en'])
  return headers
}
