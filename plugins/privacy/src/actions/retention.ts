import { onceOf } from '@svc/automation/contract'
import {
  type Data,
  domainAction,
  type DomainAction,
  type RecordInput,
  type WriteOptions,
} from '@svc/domain/contract'
import { type Call, errors } from '@svc/kernel'
import { z } from 'zod'
import { runSweeps, type SweepItem } from '../retention/run.ts'
import type { Setting } from '../setting.ts'
import { bodyOf } from './body.ts'

const Body = z.strictObject({ dryRun: z.boolean().default(false) })

/** Sees to everything that is due now, or counts it. */
export const retentionAction = (setting: Setting): DomainAction =>
  domainAction<RecordInput>({
    name: 'retention',
    summary: 'Run the sweeps of retention now, or count what is due',
    access: 'record',
    routes: ['POST /privacy/retention'],
    async handle({ data: sent }, call, data) {
      const { caller } = call
      const roles = setting.privacy.permissions.retention
      const isPermitted =
        caller.kind === 'system' || roles.some((role) => role !== 'subject' && caller.roles.includes(role))
      if (!isPermitted) throw errors.FORBIDDEN()
      const { dryRun } = bodyOf(Body, sent)
      const once = onceOf(call, 'privacy retention', { dryRun })
      const answered = await answerOf(once, call, data)
      if (answered !== undefined) return answered
      const isOver = () => call.signal.aborted
      const items = await runSweeps({ setting, data, call, dryRun, isAsked: true, isOver })
      return data.write(call, () => Promise.resolve({ dryRun, items }), once)
    },
  })

interface Answer {
  readonly dryRun: boolean
  readonly items: readonly SweepItem[]
}

/** Nothing was answered yet. */
class Unanswered extends Error {}

/** What was answered under the same key: a sweep is many transactions, and its answer is kept by the last. */
async function answerOf(once: WriteOptions, call: Call, data: Data): Promise<Answer | undefined> {
  if (once.once === undefined) return undefined
  try {
    return await data.write<Answer>(call, () => Promise.reject(new Unanswered()), once)
  } catch (error) {
    if (error instanceof Unanswered) return undefined
    throw error
  }
}
