import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { listRoutes } from '../list-routes.ts'
import type { System } from '../system.ts'

const output = z.strictObject({
  count: z.int(),
  routes: z.array(z.strictObject({ method: z.string(), path: z.string(), action: z.string() })),
})

/** Lists the addresses of the server. */
export function routes({ actions }: System): Action {
  return defineAction<unknown, z.output<typeof output>>({
    name: 'svc.system.routes',
    summary: 'Lists the addresses of the server',
    access: ['*'],
    routes: ['GET /api/v1/routes'],
    output,
    handle() {
      const found = [...listRoutes(actions.list())]
      return { count: found.length, routes: found }
    },
  })
}
