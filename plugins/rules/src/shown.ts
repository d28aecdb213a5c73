import { shownNotification } from '@svc/notifications/contract'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import { RuleDefinition } from './definition.ts'
import type { Rule } from './rule.ts'

const { shape } = RuleDefinition

/** What is shown of a rule beside its name and switch: the keys of the definition, with defaults filled in. */
export const RULE_SHAPE = {
  description: z.string().nullable().describe('What the rule is for.'),
  trigger: shape.trigger,
  condition: shape.condition,
  action: shape.action,
  message: shape.message,
  messageData: z.record(z.string(), z.json()).describe('Values beside the message, as they are written.'),
  severity: shape.severity.unwrap(),
  regulation: z.string().nullable().describe('The law or policy that stands behind the rule.'),
  priority: z.int().describe('Rules with a lower number are asked first.'),
  dependsOn: z
    .array(z.string())
    .describe('Rules that come first: it is asked only if none of them has fired.'),
  group: z.string().nullable().describe('The label of the rule.'),
  notification: shape.notification.unwrap().nullable().describe('What is raised with each firing.'),
  history: z.boolean().describe("Whether a firing stands on the record's timeline."),
} satisfies z.ZodRawShape

/** A rule as it is declared, with defaults filled in. */
export function shownRule(rule: Rule): Row {
  const { description, action, severity, regulation, priority, dependsOn, group, written } = rule
  const { trigger, condition, message, messageData = {}, notification, history = false } = written
  return JSON.parse(
    JSON.stringify({
      description,
      trigger,
      condition,
      action,
      message,
      messageData,
      severity,
      regulation,
      priority,
      dependsOn,
      group,
      notification: notification ? shownNotification(notification) : null,
      history,
    }),
  )
}
