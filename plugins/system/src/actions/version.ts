import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { direct } from '../direct.ts'
import type { System } from '../system.ts'

/** Names the build that is running. */
export function version({ host }: System): Action {
  return defineAction({
    name: 'svc.system.version',
    summary: 'Names the build that is running',
    access: ['*'],
    routes: ['GET /version'],
    notes: { audit: false, direct: true },
    output: z.strictObject({ version: z.string(), build: z.string(), commit: z.string() }),
    handle() {
      const { version, build, commit } = host.release
      return direct({ version, build, commit })
    },
  })
}
