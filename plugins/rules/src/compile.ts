import { type Automation, checkAutomationName, compileTrigger } from '@svc/automation/contract'
import {
  compileWords,
  type Path,
  type Resource,
  type Site,
  staysWithRecord,
  Text,
} from '@svc/domain/contract'
import type { History } from '@svc/history/contract'
import type { Notifications } from '@svc/notifications/contract'
import { z } from 'zod'
import { type RuleDefinition, type RulesDefinition, SEVERITY_OF } from './definition.ts'
import { checkDependencies, type Depending } from './order/dependencies.ts'
import { inOrder } from './order/order.ts'
import type { KeptWords, Rule } from './rule.ts'
import { messageKey, speechOf } from './speech.ts'

/** What rules are compiled with. */
export interface Surroundings {
  readonly automation: Automation
  readonly notifications: Notifications | undefined
  /** The timeline of a resource; undefined where it keeps none. */
  readonly timelineOf: (resource: Resource) => History | undefined
}

/** Compiles the rules of a domain, in the order in which they are asked; what is wrong with them is reported. */
export function compileRules(written: RulesDefinition, site: Site, around: Surroundings): readonly Rule[] {
  const depending = new Map(
    Object.entries(written).map(([name, rule]) => [name, dependingOf(name, rule)] as const),
  )
  checkDependencies(depending, (name, at) => dependencyPath(name, at, written), site)
  const rules = Object.entries(written).flatMap(
    ([name, rule]) => compileRule(depending.get(name), rule, site, around) ?? [],
  )
  return inOrder(rules)
}

const dependingOf = (
  name: string,
  { action, priority = 100, dependsOn, trigger }: RuleDefinition,
): Depending => ({
  name,
  action,
  priority,
  dependsOn: dependsOn === undefined ? [] : [dependsOn].flat(),
  resource: trigger.resource,
})

const dependencyPath = (name: string, at: number, written: RulesDefinition): Path => {
  const path = [name, 'dependsOn']
  return Array.isArray(written[name]?.dependsOn) ? [...path, at] : path
}

function compileRule(
  depending: Depending | undefined,
  written: RuleDefinition,
  site: Site,
  around: Surroundings,
): Rule | undefined {
  if (depending === undefined) return undefined
  const { name, action, priority, dependsOn } = depending
  const isNamed = checkAutomationName(name, [name], site, 'a rule')
  const trigger = compileTrigger(written.trigger, [name, 'trigger'], site, { key: 'on' })
  // What is wrong with the trigger hides nothing of the rest, as long as it says what that is about.
  const resource = trigger?.resource ?? site.model.resources.get(written.trigger.resource)
  if (resource === undefined) return undefined
  const speech = { ...speechOf(resource), kind: 'boolean' } as const
  const condition = site.expression(written.condition, [name, 'condition'], speech)
  const words = wordsOf(name, written, resource, site)
  const notification = notificationOf(name, written, resource, site, around)
  const timeline = timelineFor(name, written, resource, site, around)
  const kept = keptWords(name, site)
  if (trigger === undefined || condition === undefined || words === undefined || !isNamed) return undefined
  if (kept === undefined) return undefined
  const { enabled: declared = true } = written
  return Object.freeze({
    name,
    action,
    priority,
    dependsOn,
    resource,
    description: written.description ?? null,
    severity: written.severity ?? SEVERITY_OF[action],
    regulation: written.regulation ?? null,
    group: written.group ?? null,
    trigger,
    condition,
    isNear: [condition, ...(trigger.condition ? [trigger.condition] : [])].every((one) =>
      staysWithRecord(one, resource),
    ),
    words,
    notification,
    timeline,
    declared,
    switch: around.automation.switches.of({ domain: site.model.name, key: 'rules', name, declared }),
    kept,
    written,
  } satisfies Rule)
}

const wordsOf = (
  name: string,
  { message, messageData = {} }: RuleDefinition,
  resource: Resource,
  site: Site,
) =>
  compileWords(
    {
      text: message,
      textPath: [name, 'message'],
      textKey: messageKey(name),
      values: messageData,
      valuesPath: [name, 'messageData'],
    },
    speechOf(resource),
    site,
  )

const WrittenTexts = z.looseObject({
  message: Text,
  messageData: z.record(z.string(), z.json()).default({}),
})

/** The words of a rule as they may be kept: what variables hold is not in them. Undefined where their shape is at fault. */
const keptWords = (name: string, site: Site): KeptWords | undefined =>
  WrittenTexts.safeParse(site.written([name])).data

function notificationOf(
  name: string,
  { notification }: RuleDefinition,
  resource: Resource,
  site: Site,
  { notifications }: Surroundings,
) {
  if (notification === undefined) return undefined
  const path = [name, 'notification']
  if (notifications === undefined) {
    site.warning(path, 'nothing is sent: no plugin that sends notifications is loaded')
    return undefined
  }
  const speech = speechOf(resource)
  return notifications.compile(notification, { site, path, speech, name: `rules.${name}` })
}

/** Where firings of a rule stand that says so. */
function timelineFor(
  name: string,
  { action, history }: RuleDefinition,
  resource: Resource,
  site: Site,
  { timelineOf }: Surroundings,
): History | undefined {
  if (history !== true) return undefined
  const path = [name, 'history']
  const timeline = timelineOf(resource)
  if (action === 'reject')
    site.problem(path, 'means nothing of a rule that rejects: a refused write is not on the timeline')
  else if (timeline === undefined)
    site.problem(path, `'${resource.name}' keeps no timeline`, `Declare 'history' of '${resource.name}'`)
  return timeline
}
