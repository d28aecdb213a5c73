import { describe, expect, it } from 'vitest'
import { createRandom, pickWeighted, type Weighted } from '../../kit/random.ts'
import type { TestAnswer } from '../../kit/request.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { comparable } from './comparable.ts'
import { createMemory, type LawRequest, type Memory } from './memory.ts'
import { answered, requestFor } from './requests.ts'
import { type Caller, type LawServer, setting, startLawServer } from './server.ts'
import { readShape, type RouteShape, type Shape } from './shape.ts'
import { spoiled } from './spoil.ts'

const SEED = setting('LAWS_SEED', 20_260_301)
const RUNS = size('LAWS_RUNS', { smoke: 300, whole: 2000 })
const MILLISECONDS_PER_RUN = 20
/** How likely a part of a request is wrong: most requests have to get somewhere, some nowhere at all. */
const WILD = [0.02, 0.04, 0.04, 0.04, 0.04, 0.3]
const SPOILED = 0.1
const CALLERS: readonly (Caller | undefined)[] = [
  'ann', 'ann', 'bob', 'bob', 'eve', 'eve', 'both', 'both', 'both', 'admin', undefined,
] // prettier-ignore
const MOST_MILLISECONDS_BETWEEN = 60_000

/** How often an operation is asked for, where not once. */
const OPERATIONS: Readonly<Record<string, number>> = {
  create: 20, update: 20, get: 6, list: 16, put: 4, delete: 4, restore: 4, revert: 4, transition: 8, solve: 4, wait: 3,
  'bulk-create': 4, 'bulk-update': 3, link: 6, export: 3, import: 3, tags: 3, tasks: 3, children: 3, history: 2, versions: 2, audit: 2,
} // prettier-ignore
const RESOURCES: Readonly<Record<string, number>> = {
  Task: 8,
  Sample: 4,
  Project: 3,
  Vault: 1,
  Setting: 1,
  Memo: 1,
}

// One store alone has nothing to be compared with; the set-up says loudly that there is no other.
describe.skipIf(STORES.length < 2)('both stores', () => {
  it(
    `answer alike, and end up alike (LAWS_SEED=${SEED} LAWS_RUNS=${RUNS})`,
    async () => {
      const servers = await Promise.all(STORES.map((store) => startLawServer(store, SEED)))
      try {
        // Each is asked: the ledger of requests is among what is compared.
        const [shape] = await Promise.all(servers.map(({ request }) => readShape(request, 'works')))
        const memory = createMemory()
        await walk(servers, shape!, memory)
        await compareAll(servers, shape!, memory)
      } finally {
        await Promise.all(servers.map((server) => server.stop()))
      }
    },
    60_000 + RUNS * MILLISECONDS_PER_RUN,
  )
})

async function walk(servers: readonly LawServer[], shape: Shape, memory: Memory): Promise<void> {
  const random = createRandom(SEED)
  const routes: Weighted<RouteShape> = shape.routes.map((route) => [weightOf(route), route])
  for (let run = 0; run < RUNS; run++) {
    const route = pickWeighted(random, routes)
    const options = { ...shape, random, memory, wild: random.pick(WILD), callers: CALLERS }
    const meant = requestFor(route, route.resource!, options)
    const request = random.chance(SPOILED) ? spoiled(meant, route.path, random) : meant
    const passed = random.chance(0.5) ? 0 : random.int(MOST_MILLISECONDS_BETWEEN)
    for (const { clock } of servers) clock.advance(passed)
    memory.learn(request, answered(route, shape), await expectAlike(servers, request, run))
  }
}

const weightOf = ({ operation, resource }: RouteShape): number =>
  resource === undefined ? 0 : (OPERATIONS[operation] ?? 1) * (RESOURCES[resource.name] ?? 2)

/** Sends a request to all servers; answers what they all said. */
async function expectAlike(
  servers: readonly LawServer[],
  request: LawRequest,
  run?: number,
): Promise<TestAnswer> {
  const answers = await Promise.all(servers.map((server) => server.send(request)))
  const [first, ...others] = answers.map((answer) => ({ run, request, ...comparable(answer) }))
  for (const other of others) expect(other).toEqual(first)
  expect({ run, request, status: first!.status }).toSatisfy(({ status }) => status < 500)
  return answers[0]!
}

/** Compares every list, ledger and export, as those see it who see most, and as one who sees less. */
async function compareAll(servers: readonly LawServer[], { routes }: Shape, memory: Memory): Promise<void> {
  const ask = (path: string, caller: Caller, query = 'limit=1000') =>
    expectAlike(servers, { method: 'GET', path, query, caller, headers: {} })
  for (const { path, operation, resource } of routes) {
    if (resource === undefined) continue
    if (path.endsWith('/:id/versions') && !path.includes(':taskId'))
      for (const key of memory.keys(resource.name)) await ask(path.replace(':id', key), 'both')
    if (path.includes(':') || !/^(list|audit|history|export|count)$/.test(operation)) continue
    for (const caller of ['both', 'ann'] as const) await ask(path, caller)
    for (const scope of resource.scopes) await ask(path, 'both', `limit=1000&scope=${scope}`)
  }
  await ask('/api/v1/admin/audit', 'admin', 'limit=500')
}
