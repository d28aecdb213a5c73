import { type Action, defineAction, type Phase } from '@svc/kernel'
import { z } from 'zod'
import type { System } from '../system.ts'

const output = z.strictObject({
  plugins: z.array(
    z.strictObject({
      name: z.string(),
      type: z.enum(['transport', 'store', 'handler']),
      status: z.enum(['loaded', 'ready', 'failed', 'stopped']),
    }),
  ),
})

const TYPES = {
  transport: 'transport',
  store: 'store',
  auth: 'handler',
  domain: 'handler',
  seeder: 'handler',
  scripting: 'handler',
} as const satisfies Record<Phase, string>

/** Lists the loaded plugins in their order of set-up. */
export function plugins({ host }: System): Action {
  return defineAction<unknown, z.output<typeof output>>({
    name: 'svc.system.plugins',
    summary: 'Lists the loaded plugins',
    access: ['*'],
    routes: ['GET /api/v1/plugins'],
    output,
    handle: () => ({
      plugins: host.plugins().map(({ name, phase, status }) => ({ name, type: TYPES[phase], status })),
    }),
  })
}
