import { type Automation, switchWindow, type SwitchedEntry } from '@svc/automation/contract'
import type { Data } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import type { Setting } from '../course/setting.ts'
import type { Listening } from '../course/triggering.ts'
import type { WorkflowDefinition } from '../definition/workflow.ts'
import { INSTANCE, INSTANCE_STATUSES } from '../tables/instances.ts'

/** The actions by which administrators look at workflows, and switch them. */
export const workflowWindow = (
  listening: readonly Listening[],
  written: Readonly<Record<string, WorkflowDefinition>>,
  setting: Setting,
  { switches }: Automation,
) => {
  const entries = listening.map(({ workflow, switch: now }): SwitchedEntry => ({
    name: workflow.name,
    declared: workflow.enabled,
    switch: now,
    shown: shownOf(written[workflow.name]),
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
      trigger: z.json().describe('What starts it.'),
      start: z.string().describe('The first step.'),
      steps: z.json().describe('The steps, by name.'),
      timeout: z.json().describe('When an instance is over whatever it is at.'),
      onError: z.json().describe('What runs where an instance fails.'),
      version: z.int().nullable().describe('The number of its text, counted from 1.'),
      counts: z
        .object(Object.fromEntries(INSTANCE_STATUSES.map((status) => [status, z.int()])))
        .describe('How many of its instances there are, by status.'),
    },
    filters: { resource: 'Only those that are about records of this resource.' },
    facts: async (shown, data) => factsOf(shown, setting, data),
  })
}

/** A workflow as it is declared, with defaults filled in. */
function shownOf(written: WorkflowDefinition | undefined): Row {
  const { description, trigger, start, steps = {}, timeout, onError } = written ?? {}
  return jsonOf({
    description: description ?? null,
    resource: trigger?.resource ?? null,
    trigger: trigger ?? null,
    start: start ?? Object.keys(steps)[0] ?? null,
    steps,
    timeout: timeout ?? null,
    onError: onError ?? null,
  })
}

const jsonOf = (value: object): Row => z.record(z.string(), z.json()).parse(JSON.parse(JSON.stringify(value)))

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
