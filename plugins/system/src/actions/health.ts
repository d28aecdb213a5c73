import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { direct } from '../direct.ts'

/** Says that requests are answered. */
export function health(): Action {
  return defineAction({
    name: 'svc.system.health',
    summary: 'Says that the server answers requests',
    access: ['*'],
    routes: ['GET /health'],
    notes: { audit: false, direct: true },
    output: z.strictObject({ status: z.literal('healthy') }),
    handle: () => direct({ status: 'healthy' as const }),
  })
}
