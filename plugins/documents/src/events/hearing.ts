import {
  happenedIn,
  hears,
  listenersOf,
  logPassing,
  type Trigger,
  triggerVariables,
} from '@svc/automation/contract'
import {
  type Change,
  type DomainPart,
  evaluationOf,
  passedOverAt,
  type Resource,
  type Site,
  type Writes,
} from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import type { Row } from '@svc/store/contract'
import type { Template } from '../compile/template.ts'
import { ORIGIN } from '../keep/keep.ts'
import type { Means } from '../means.ts'
import { promise } from '../promises/promise.ts'

interface Listening {
  readonly template: Template
  readonly trigger: Trigger
}

/** The steps by which writes set templates off; nothing where none listens. */
export function hearingOf(
  templates: ReadonlyMap<string, Template>,
  site: Site,
  means: Means,
): Pick<DomainPart, 'resources' | 'selfContained' | 'concerns' | 'afterWrite'> {
  const all = [...templates.values()].flatMap((template): readonly Listening[] =>
    template.trigger ? [{ template, trigger: template.trigger }] : [],
  )
  const listeners = listenersOf(all.map((one) => [one.trigger, one] as const))
  /** Of whose timelines some trigger speaks: what a write brings about is known after it alone. */
  const historic = new Set(
    all.flatMap(({ trigger }) => (trigger.events.includes('history') ? trigger.resource : [])),
  )
  const timelineOf = (resource: Resource) =>
    historic.has(resource) ? site.made(HISTORY, resource) : undefined
  return {
    resources: new Set(all.map(({ trigger }) => trigger.resource)),
    concerns: (change) =>
      change.origin !== ORIGIN && (historic.has(change.resource) || listeners.hearing(change).length > 0),
    selfContained: true,
    async afterWrite(change, writes) {
      const history = timelineOf(change.resource)?.broughtBy(change) ?? []
      await promiseAll(listeners.hearing(change, history), change, history, site, writes, means)
    },
  }
}

/** Promises a document of each template whose conditions hold. */
async function promiseAll(
  hearing: readonly Listening[],
  change: Change,
  history: readonly string[],
  { model }: Site,
  writes: Writes,
  means: Means,
): Promise<void> {
  if (hearing.length === 0) return
  const conditions = hearing.flatMap((one) => conditionsOf(one))
  const asked = await evaluationOf(change, conditions, writes)
  const context = { ...asked, variables: { ...asked.variables, ...triggerVariables(change) } }
  const happened = happenedIn(change, history)
  for (const one of hearing) {
    if (!conditionsOf(one).every((condition) => condition.holds(context))) continue
    const { template, trigger } = one
    const { resource, key = null } = change
    const why = await passedOverAt(resource, change.record === undefined ? null : key, writes)
    if (why !== undefined) {
      logPassing(means.log, { by: { kind: 'template', name: template.name }, resource, key, why })
      continue
    }
    const event = trigger.events.find((name) => hears({ ...trigger, events: [name] }, happened))
    await promise(
      writes,
      model,
      {
        template: template.name,
        resource: change.resource.name,
        recordId: String(change.key),
        record: storedIn(change),
        parameters: {},
        trigger: event ?? trigger.events[0] ?? 'update',
        depth: change.depth,
      },
      means,
    )
  }
}

const conditionsOf = ({ template, trigger }: Listening) => [
  ...(trigger.condition ? [trigger.condition] : []),
  ...(template.condition ? [template.condition] : []),
]

/** The record by its columns, as the write left it; of a deletion as it was. */
const storedIn = ({ record, previous }: Change): Row => ({ ...(record ?? previous) })
