import { describe, expect, it } from 'vitest'
import { createRandom, pickWeighted, type Random, type Weighted } from '../../kit/random.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { faultsOf } from './answer-law.ts'
import { createMemory, type LawRequest, type Memory } from './memory.ts'
import { plant } from './plant.ts'
import { answered, requestFor } from './requests.ts'
import { secretsIn } from './secrets-law.ts'
import { type LawServer, setting, startLawServer } from './server.ts'
import { serviceRequest, VICTIMS } from './service-requests.ts'
import { readShape, type RouteShape, type Shape } from './shape.ts'
import { spoiled } from './spoil.ts'

const SEED = setting('LAWS_SEED', 20_260_302)
const RUNS = size('LAWS_FUZZ_RUNS', { smoke: 800, whole: 10_000 })
const MILLISECONDS_PER_RUN = 10
/** Requests under way at once. */
const AT_ONCE = 10
const PLANTED = 200
const CALLERS = ['ann', 'ann', 'bob', 'bob', 'eve', 'eve', 'both', 'both', 'both', 'both', 'admin', undefined]
const WILD = [0.02, 0.05, 0.2, 0.6]
/** A password takes a hash, and a document of the whole server takes a while: both are asked for less often. */
const SLOW = /^auth\.(login|register|change-password|reset-password)$|openapi|docs|language|submit|preview/

for (const store of STORES) {
  describe(`${RUNS} hostile requests on ${store.name} (LAWS_SEED=${SEED})`, () => {
    it(
      'get answers that keep the law, and leave a server that works',
      async () => {
        const server = await startLawServer(store, SEED)
        try {
          for (const name of VICTIMS) server.tokens[name] = (await server.account(name)).token
          expect(await attack(server)).toEqual([])
          await expectSane(server)
        } finally {
          await server.stop()
        }
      },
      60_000 + RUNS * MILLISECONDS_PER_RUN,
    )
  })
}

interface Fault {
  readonly run: number
  readonly request: LawRequest
  readonly faults: readonly string[]
  readonly answer: unknown
}

const MOST_FAULTS = 5

/** Sends all requests; answers the first that were answered wrongly. */
async function attack(server: LawServer): Promise<readonly Fault[]> {
  const random = createRandom(SEED)
  const shape = await readShape(server.request, 'works')
  const memory = createMemory()
  await plant(server, shape, { random, memory, runs: PLANTED })
  const routes: Weighted<RouteShape> = shape.routes.map((route) => [SLOW.test(route.action) ? 1 : 8, route])
  const found: Fault[] = []
  for (let run = 0; run < RUNS && found.length < MOST_FAULTS; run += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, () => {
      const route = pickWeighted(random, routes)
      return { route, request: hostile(route, shape, { random, memory }) }
    })
    const answers = await Promise.all(batch.map(({ request }) => server.send(request)))
    server.clock.advance(random.int(1000))
    for (const [at, { route, request }] of batch.entries()) {
      const { status, body } = answers[at]!
      const faults = [...faultsOf(request, answers[at]!), ...secretsIn(request, answers[at]!)]
      if (faults.length > 0) found.push({ run: run + at, request, faults, answer: { status, body } })
      memory.learn(request, answered(route, shape), answers[at]!)
    }
  }
  return found
}

interface Chance {
  readonly random: Random
  readonly memory: Memory
}

/** A request that belongs to a route, spoiled here and there. */
function hostile(route: RouteShape, shape: Shape, { random, memory }: Chance): LawRequest {
  const options = { ...shape, random, memory, wild: random.pick(WILD), callers: CALLERS }
  const { resource } = route
  const request = resource ? requestFor(route, resource, options) : serviceRequest(route, random)
  return spoiled(request, route.path, random)
}

/** After all that the server makes, changes, finds and forgets a record as on its first day. */
async function expectSane({ request, send, account }: LawServer): Promise<void> {
  expect((await request('GET', '/health')).body).toEqual({ status: 'healthy' })
  const { token } = await account('latecomer', ['boss'])
  const path = '/api/v1/works/tasks'
  const made = await request('POST', path, { token, body: { title: 'After the storm' } })
  expect([made.status, made.body.data.status]).toEqual([201, 'open'])
  const one = `${path}/${made.body.data.id}`
  const changed = await request('PATCH', one, { token, body: { priority: 5 } })
  expect([changed.status, changed.body.data.priority]).toEqual([200, 5])
  const query = `filter[id]=${made.body.data.id}`
  const listed = await send({ method: 'GET', path, query, caller: token, headers: {} })
  expect(listed.body.data.items).toMatchObject([{ title: 'After the storm', priority: 5 }])
  expect((await request('DELETE', one, { token })).status).toBe(204)
  expect((await request('GET', one, { token })).status).toBe(404)
}
