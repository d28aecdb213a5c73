import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { watchDependencies } from '../dependencies.ts'
import { direct } from '../direct.ts'
import type { System } from '../system.ts'

const output = z.strictObject({
  status: z.enum(['ready', 'unready']),
  dependencies: z.array(z.strictObject({ name: z.string(), ok: z.boolean() })),
})

/** Says whether everything that the server depends on is in reach; 503 while something is not. */
export function ready(system: System): Action {
  const dependencies = watchDependencies(system)
  return defineAction<unknown, z.output<typeof output>>({
    name: 'svc.system.ready',
    summary: 'Says whether everything that the server depends on is in reach',
    access: ['*'],
    routes: ['GET /health/ready'],
    notes: { audit: false, direct: true },
    output,
    async handle() {
      const found = [...(await dependencies())]
      const isReady = found.every(({ ok }) => ok)
      return direct({ status: isReady ? 'ready' : 'unready', dependencies: found }, isReady ? 200 : 503)
    },
  })
}
