import {
  happenedIn,
  hears,
  listenersOf,
  passOver,
  type Trigger,
  triggerVariables,
} from '@svc/automation/contract'
import { type Change, type DomainPart, evaluationOf, factsOf, type Writes } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Integration } from '../integration.ts'
import type { Operation } from '../operation.ts'
import { noFinds } from '../mapping/finds.ts'
import { insertRun, putWork } from '../run/keep.ts'
import type { Setting } from '../run/means.ts'
import { type Chain, chainOf } from '../run/origin.ts'
import type { Run } from '../run/run.ts'

interface Listening {
  readonly integration: Integration
  readonly operation: Operation
  readonly trigger: Trigger
}

/** The steps by which writes set operations off; nothing where none listens. */
export function hearingOf(
  setting: Setting,
): Pick<DomainPart, 'resources' | 'selfContained' | 'concerns' | 'afterWrite'> | undefined {
  const all = [...setting.integrations.values()].flatMap((integration) =>
    integration.enabled
      ? [...integration.operations.values()].flatMap((operation) =>
          operation.triggers.map((trigger): Listening => ({ integration, operation, trigger })),
        )
      : [],
  )
  if (all.length === 0) return undefined
  const listeners = listenersOf(all.map((one) => [one.trigger, one] as const))
  return {
    resources: new Set(all.map(({ trigger }) => trigger.resource)),
    concerns: (change) => listeners.hearing(change).length > 0,
    selfContained: true,
    afterWrite: (change, writes) => setOff(listeners.hearing(change), change, writes, setting),
  }
}

async function setOff(
  hearing: readonly Listening[],
  change: Change,
  writes: Writes,
  setting: Setting,
): Promise<void> {
  const chain = chainOf(change)
  const others = hearing.filter((one) => !isOwn(one, change, chain))
  if (others.length === 0) return
  const conditions = others.flatMap(({ trigger: { condition } }) => (condition ? [condition] : []))
  const asked = await evaluationOf(change, conditions, writes)
  const transition = triggerVariables(change)
  const context = { ...asked, variables: { ...asked.variables, ...transition } }
  const happened = happenedIn(change, [])
  const done = new Set<Operation>()
  for (const { integration, operation, trigger } of others) {
    if (done.has(operation) || trigger.condition?.holds(context) === false) continue
    done.add(operation)
    const { resource, key = null } = change
    const by = { kind: 'integration', name: `${integration.name}.${operation.name}` }
    if (await passOver({ by, resource, key }, writes, setting.parts.log)) continue
    const event = trigger.events.find((name) => hears({ ...trigger, events: [name] }, happened))
    const now = setting.parts.env.now()
    const run: Run = {
      id: setting.parts.newId(),
      integration,
      operation,
      facts: {
        ...factsOf(change),
        // Of a deletion it is the record as it was.
        record: change.record ?? change.previous,
        user: SYSTEM,
        variables: { input: {}, mapped: null, ...transition },
        now: () => now,
      },
      built: undefined,
      triggeredBy: `event:${resource.name}.${event ?? trigger.events[0]}`,
      actor: null,
      resource: resource.name,
      recordId: String(change.key),
      depth: change.depth + 1,
      chain: (chain?.length ?? 0) + 1,
      attempts: 0,
      isByHand: false,
      isKept: true,
      finds: noFinds,
      letter: undefined,
    }
    await insertRun(run, 'queued', writes, setting)
    await putWork(run, now, writes, setting)
  }
}

/** What an operation writes to its record does not set it off for that record again. */
const isOwn = ({ integration, operation }: Listening, { key }: Change, chain: Chain | undefined): boolean =>
  chain?.integration === integration.name &&
  chain.operation === operation.name &&
  chain.recordId === String(key)
