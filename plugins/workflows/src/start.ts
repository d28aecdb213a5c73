import { type Automation, OUT_OF_REACH_DELAYS_MS } from '@svc/automation/contract'
import type { Domains, Model } from '@svc/domain/contract'
import type { Events } from '@svc/events/contract'
import type { Jobs } from '@svc/jobs/contract'
import { type Context, createUuidV7, defineAction, errors, repeat } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { z } from 'zod'
import { type Running, workflowsBlock } from './block.ts'
import type { WorkflowsConfig } from './config.ts'
import type { Workflows } from './contract.ts'
import type { Setting } from './course/setting.ts'
import { startByHand } from './course/starting.ts'
import { workflowPerformer } from './performer.ts'
import { noteFailure, workOnStep, workOnTimer } from './course/working.ts'
import { sweepInstances } from './sweep.ts'
import { createWaits } from './waits/open-waits.ts'

/** How often instances are looked for that are over and may go, in milliseconds. */
const SWEEP_PERIOD_MS = 3_600_000

export interface WorkflowsContext extends Context {
  readonly config: WorkflowsConfig
  readonly domains: Domains
  readonly events: Events
  readonly jobs: Jobs
  readonly store: Store
  readonly automation: Automation
}

const StepWork = z.strictObject({
  domain: z.string(),
  instance: z.string(),
  line: z.string(),
  turn: z.int(),
  depth: z.int(),
})
const TimerWork = z.strictObject({
  domain: z.string(),
  instance: z.string(),
  line: z.string().optional(),
  turn: z.int().optional(),
  until: z.string(),
})

/** Adds the key to the language, and does the work of the instances in all domains in force. */
export function startWorkflows(context: WorkflowsContext): Workflows {
  const { actions, automation, bus, config, domains, env, events, jobs, log, onOpen, store } = context
  const settings = new Map<string, Setting>()
  const made = new WeakMap<Model, Running>()
  const steps = jobs.kind('workflows.step', {
    payload: StepWork,
    delaysMs: OUT_OF_REACH_DELAYS_MS,
    run: (job, work) => workOnStep(settings, job, work),
    failed: (transaction, job, failure) => noteFailure(settings, transaction, job, failure),
  })
  const timers = jobs.kind('workflows.timer', {
    payload: TimerWork,
    delaysMs: TIMER_DELAYS_MS,
    run: (job, work) => workOnTimer(settings, job, work),
  })
  domains.block(
    workflowsBlock({
      automation,
      bus,
      env,
      log,
      steps,
      timers,
      newId: createUuidV7(env),
      openWaits: createWaits({ events, jobs }),
      note: (model, running) => void made.set(model, running),
      enter(setting) {
        const { name } = setting.model
        settings.set(name, setting)
        return () => {
          if (settings.get(name) === setting) settings.delete(name)
        }
      },
    }),
  )
  const sweep = () => sweepInstances(settings, store, env.now(), config.retention_days)
  actions.add(
    defineAction({
      name: 'workflows.sweep',
      summary: 'Remove instances that were over before their days ran out, and texts that nobody keeps to',
      access: [],
      handle: sweep,
    }),
  )
  onOpen(() =>
    repeat(sweep, {
      everyMs: SWEEP_PERIOD_MS,
      log,
      failure: 'workflows.sweep_failed',
    }),
  )
  const workflows: Workflows = {
    async start(transaction, { model, workflow, key = null, actor = SYSTEM_ACTOR, ...given }) {
      const running = made.get(model)
      if (running === undefined) throw errors.NOT_FOUND({ message: `There is no workflow '${workflow}'` })
      const asked = { input: null, ...given, ...running, name: workflow, recordId: key, caller: actor }
      return startByHand(asked, transaction)
    },
  }
  automation.performs(
    'workflow',
    workflowPerformer(workflows, (model) => made.get(model)?.listening.map(({ workflow }) => workflow) ?? []),
  )
  return workflows
}

/** Who starts what nobody asked for. */
const SYSTEM_ACTOR = { id: null, username: 'system' }

/** A timer that fails is tried again for as long as a server may be out of order: nobody would wake its line otherwise. */
const TIMER_DELAYS_MS = [1000, 5000, 25_000, 125_000, ...Array.from({ length: 200 }, () => 600_000)]
