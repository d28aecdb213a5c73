import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../../kit/random.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { createMemory } from './memory.ts'
import { plant } from './plant.ts'
import { encoded, type Parameter, parametersFor } from './queries.ts'
import { type LawServer, setting, startLawServer } from './server.ts'
import { readShape, type RouteShape } from './shape.ts'
import { VALUE_LAWS } from './value-laws.ts'
import { WALK_LAWS } from './walk-laws.ts'
import type { WholeList } from './whole-list.ts'

const SEED = setting('LAWS_SEED', 20_260_303)
const RUNS = size('LAWS_LIST_RUNS', { smoke: 25, whole: 300 })
const MILLISECONDS_PER_RUN = 300
const PLANTED = 300
const CALLERS = ['ann', 'bob', 'eve', 'both', 'both', undefined]
/** What a law asks for by itself. */
const NOT_ASKED = /^(page|limit|offset|cursor|fields|include|field)$/

for (const store of STORES) {
  describe(`${RUNS} lists on ${store.name} (LAWS_SEED=${SEED})`, () => {
    it(
      'keep every law of lists',
      async () => {
        const server = await startLawServer(store, SEED)
        try {
          const random = createRandom(SEED)
          const shape = await readShape(server.request, 'works')
          await plant(server, shape, { random, memory: createMemory(), runs: PLANTED })
          const routes = shape.routes.filter(
            ({ operation, path, resource }) => resource && operation === 'list' && !path.includes(':'),
          )
          for (let run = 0; run < RUNS; run++) await expectLawful(server, random.pick(routes), random)
        } finally {
          await server.stop()
        }
      },
      60_000 + RUNS * MILLISECONDS_PER_RUN,
    )
  })
}

async function expectLawful(
  server: LawServer,
  { path, resource }: RouteShape,
  random: Random,
): Promise<void> {
  const caller = random.pick(CALLERS)
  const ask = (suffix: string, parameters: readonly Parameter[]) =>
    server.send({
      method: 'GET',
      path: path + suffix,
      query: encoded(parameters),
      ...(caller !== undefined && { caller }),
      headers: {},
    })
  const parameters = parametersFor(resource!, random, 0).filter(([name]) => !NOT_ASKED.test(name))
  const { status, body } = await ask('', [...parameters, ['limit', '1000']])
  if (status !== 200) return expect(status).toBeLessThan(500)
  const list: WholeList = { resource: resource!, parameters, items: body.data.items, random, ask }
  for (const [law, holds] of Object.entries({ ...WALK_LAWS, ...VALUE_LAWS })) {
    const [found, expected] = await holds(list)
    const about = { law, path, caller, query: encoded(parameters) }
    expect({ ...about, found }).toEqual({ ...about, found: expected })
  }
}
