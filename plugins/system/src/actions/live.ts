import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { direct } from '../direct.ts'

/** Says that the process lives, whatever it depends on. */
export function live(): Action {
  return defineAction({
    name: 'svc.system.live',
    summary: 'Says that the process lives, whatever it depends on',
    access: ['*'],
    routes: ['GET /health/live'],
    notes: { audit: false, direct: true },
    output: z.strictObject({ status: z.literal('live') }),
    handle: () => direct({ status: 'live' as const }),
  })
}
