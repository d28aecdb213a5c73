import { pickWeighted, type Random, type Weighted } from '../../kit/random.ts'
import type { Memory } from './memory.ts'
import { answered, requestFor } from './requests.ts'
import type { LawServer } from './server.ts'
import type { RouteShape, Shape } from './shape.ts'

const MAKERS: Readonly<Record<string, number>> = {
  create: 3,
  'bulk-create': 3,
  update: 1,
  link: 2,
  delete: 1,
}
const CALLERS = ['ann', 'bob', 'eve', 'both', 'both']
const WILD = 0.02

/** Fills a server with records for other requests to be about, by so many requests of good will. */
export async function plant(
  server: LawServer,
  shape: Shape,
  { random, memory, runs }: { readonly random: Random; readonly memory: Memory; readonly runs: number },
): Promise<void> {
  const routes: Weighted<RouteShape> = shape.routes.flatMap((route) => {
    const weight = MAKERS[route.operation]
    return route.resource && weight ? [[weight, route] as const] : []
  })
  for (let run = 0; run < runs; run++) {
    const route = pickWeighted(random, routes)
    const request = requestFor(route, route.resource!, {
      ...shape,
      random,
      memory,
      wild: WILD,
      callers: CALLERS,
    })
    server.clock.advance(random.int(1000))
    memory.learn(request, answered(route, shape), await server.send(request))
  }
}
