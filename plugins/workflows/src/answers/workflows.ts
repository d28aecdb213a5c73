import { type Automation, switchWindow, type SwitchedEntry } from '@svc/automation/contract'
import type { Data } from '@svc/domain/contract'
import { NotificationDefinition, shownNotification } from '@svc/notifications/contract'
import type { Row, Value } from '@svc/store/contract'
import { z } from 'zod'
import { isMap } from '../course/results.ts'
import type { Setting } from '../course/setting.ts'
import type { Listening } from '../course/triggering.ts'
import { WorkflowDefinition } from '../definition/workflow.ts'
import { INSTANCE, INSTANCE_STATUSES } from '../tables/instances.ts'

/** The actions by which administrators look at workflows, and switch them. */
export const workflowWindow = (
  listening: readonly Listening[],
  written: (name: string) => Value,
  setting: Setting,
  { switches }: Automation,
) => {
  const entries = listening.map(({ workflow, switch: now }): SwitchedEntry => ({
    name: workflow.name,
    declared: workflow.enabled,
    switch: now,
    shown: shownOf(written(workflow.name)),
  }))
  return switchWindow({
    key: 'workflows',
    domain: setting.model.name,
    switches,
    entries,
    schema: 'Workflow',
    one: 'a workflow',
    shape: {
      description: z.string().nullable().describe('What it is for.'),
      resource: z.string().nullable().describe('The resource whose records its instances are about.'),
      trigger: z.unknown().describe('What starts it.'),
      start: z.string().describe('The first step.'),
      steps: z.unknown().describe('The steps, by name.'),
      timeout: z.unknown().describe('When an instance is over whatever it is at.'),
      onError: z.unknown().describe('What runs where an instance fails.'),
      version: z.int().nullable().describe('The number of its text, counted from 1.'),
      counts: z
        .object(Object.fromEntries(INSTANCE_STATUSES.map((status) => [status, z.int()])))
        .describe('How many of its instances there are, by status.'),
    },
    filters: { resource: 'Only those that are about records of this resource.' },
    facts: async (shown, data) => factsOf(shown, setting, data),
  })
}

/**
 * A workflow as it is declared, with defaults filled in and variables as they are written, but for what of a channel stands in
 * no answer.
 */
function shownOf(written: Value): Row {
  const read = WorkflowDefinition.safeParse(written)
  const declared = jsonOf(read.success ? read.data : (written ?? {}))
  const { description, trigger, start, steps, timeout, onError } = declared
  const [first] = isMap(steps) ? Object.keys(steps) : []
  return {
    description: description ?? null,
    resource: (isMap(trigger) ? trigger['resource'] : null) ?? null,
    trigger: trigger ?? null,
    start: start ?? first ?? null,
    steps: shownSteps(steps ?? {}),
    timeout: shownStep(timeout ?? null),
    onError: shownStep(onError ?? null),
  }
}

/** Steps by their names, or the names alone. */
const shownSteps = (steps: Value): Value =>
  isMap(steps)
    ? Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, shownStep(step)]))
    : steps

/** A step with those that are written in it, or its name. */
function shownStep(step: Value): Value {
  if (!isMap(step)) return step
  const { notification, parallel, forEach } = step
  const message = NotificationDefinition.safeParse(notification)
  return {
    ...step,
    ...(notification !== undefined && {
      notification: message.success ? shownNotification(message.data) : null,
    }),
    ...(isMap(parallel) && { parallel: { ...parallel, steps: shownSteps(parallel['steps'] ?? null) } }),
    ...(isMap(forEach) && { forEach: { ...forEach, step: shownStep(forEach['step'] ?? null) } }),
  }
}

const jsonOf = (value: object | Value): Row =>
  z.record(z.string(), z.json()).parse(JSON.parse(JSON.stringify(value)))

async function factsOf(
  entries: readonly SwitchedEntry[],
  { tables, texts }: Setting,
  { reader }: Data,
): Promise<ReadonlyMap<string, Row>> {
  const groups = await reader.aggregate({
    table: tables.instances,
    where: { op: 'in', column: INSTANCE.workflow, values: entries.map(({ name }) => name) },
    by: {
      workflow: { op: 'column', column: INSTANCE.workflow },
      status: { op: 'column', column: INSTANCE.status },
    },
    measures: { count: { fn: 'count' } },
  })
  const facts = new Map<string, Row>()
  for (const { name } of entries) {
    const own = groups.filter(({ workflow }) => workflow === name)
    const counts = INSTANCE_STATUSES.map((status) => [
      status,
      Number(own.find((group) => group['status'] === status)?.['count'] ?? 0),
    ])
    facts.set(name, { version: await texts.knownVersion(reader, name), counts: Object.fromEntries(counts) })
  }
  return facts
}
