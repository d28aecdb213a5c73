import { type Change, evaluationOf, type Writes } from '@svc/domain/contract'
import { type Listeners, passOver, type Switch, triggerVariables } from '@svc/automation/contract'
import type { Workflow } from '../graph/step.ts'
import { enter } from './entering.ts'
import { keptRecord } from './records.ts'
import type { Setting } from './setting.ts'

/** A workflow that writes start. */
export interface Listening {
  readonly workflow: Workflow
  readonly switch: Switch
}

/** Enters the instances that a write starts, in its transaction. */
export async function startBy(
  setting: Setting,
  listeners: Listeners<Listening>,
  change: Change,
  writes: Writes,
  history: readonly string[],
): Promise<void> {
  const hearing = listeners.hearing(change, history).filter((one) => one.switch.enabled)
  if (hearing.length === 0) return
  const conditions = hearing.flatMap(({ workflow }) => workflow.trigger?.condition ?? [])
  const asked = await evaluationOf(change, conditions, writes)
  const context = { ...asked, variables: { ...asked.variables, ...triggerVariables(change) } }
  const { resource, caller, key, depth } = change
  for (const { workflow } of hearing) {
    const condition = workflow.trigger?.condition
    if (condition !== undefined && !condition.holds(context)) continue
    const by = { kind: 'workflow', name: workflow.name }
    if (await passOver({ by, resource, key: key ?? null }, writes, setting.log)) continue
    await enter(setting, writes, {
      workflow,
      depth,
      event: workflow.trigger?.events[0] ?? null,
      resource: resource.name,
      recordId: String(key),
      record: keptRecord(change.next(), resource),
      actor: { id: caller.id, username: caller.username },
      input: null,
      inputVeil: null,
    })
  }
}
