import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { listRoutes } from '../list-routes.ts'
import type { System } from '../system.ts'

const output = z.strictObject({
  uptime: z.int().describe('Seconds since the process began'),
  memory: z.strictObject({ rss: z.number(), heapTotal: z.number(), heapUsed: z.number() }).describe('Bytes'),
  domains: z.int(),
  routes: z.int(),
})

/** Tells how long the server runs, what it takes and how much it serves. */
export function status({ actions }: System): Action {
  return defineAction<unknown, z.output<typeof output>>({
    name: 'svc.system.status',
    summary: 'Tells how long the server runs, what it takes and how much it serves',
    access: ['*'],
    routes: ['GET /api/v1/status'],
    output,
    handle() {
      const { rss, heapTotal, heapUsed } = process.memoryUsage()
      return {
        uptime: Math.floor(process.uptime()),
        memory: { rss, heapTotal, heapUsed },
        domains: countDomains(actions.list()),
        routes: listRoutes(actions.list()).length,
      }
    },
  })
}

/** Whoever mounts the actions of a domain notes its name on them, so that counting needs no engine at hand. */
function countDomains(actions: readonly Action[]): number {
  const names = actions.map(({ notes }) => notes?.['domain'])
  return new Set(names.filter((name) => typeof name === 'string')).size
}
