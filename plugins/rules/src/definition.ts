import { Text } from '@svc/domain/contract'
import { eventsOf, triggerKeys } from '@svc/automation/contract'
import { NotificationDefinition } from '@svc/notifications/contract'
import { z } from 'zod'

/** What a rule does about a write. */
export const ACTIONS = ['reject', 'warn', 'log'] as const
export type RuleAction = (typeof ACTIONS)[number]

export const SEVERITIES = ['error', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

/** How grave a firing is where the rule does not say. */
export const SEVERITY_OF: Readonly<Record<RuleAction, Severity>> = {
  reject: 'error',
  warn: 'warning',
  log: 'info',
}

/** The writes that a rule can look at. */
export const MOMENTS = ['create', 'update', 'transition', 'delete'] as const

const name = z.string().min(1)

const TriggerDefinition = z
  .strictObject({
    resource: name.describe('The resource whose writes the rule looks at.'),
    on: eventsOf(MOMENTS).describe(
      'The writes: create, update (every write of a stored record that leaves it there), transition, delete; one or a list.',
    ),
    fields: triggerKeys.fields.describe('on: update: only where one of these fields changes its value.'),
    transition: triggerKeys.transition.describe(
      'on: transition: the transition, or a list of them; any transition unless said.',
    ),
    condition: triggerKeys.condition.describe('An expression that has to be true for the rule to be asked.'),
  })
  .partial({ fields: true, transition: true, condition: true })

/** A rule as it is written. */
export const RuleDefinition = z
  .strictObject({
    description: z.string().optional().describe('What the rule is for.'),
    trigger: TriggerDefinition.describe('Which writes the rule looks at.'),
    condition: name.describe(
      'An expression on the record as it would be stored: the rule fires where it is true.',
    ),
    action: z
      .enum(ACTIONS)
      .describe('reject refuses the write, warn warns whoever asked, log writes it down.'),
    message: Text.describe('What is told, with {field} for a value.'),
    messageData: z
      .record(z.string(), z.json())
      .optional()
      .describe(
        'Values beside the message, by name: what begins with $ is an expression. Texts may name them.',
      ),
    severity: z
      .enum(SEVERITIES)
      .optional()
      .describe('How grave it is: error (of reject unless said), warning (of warn), or info (of log).'),
    regulation: z.string().optional().describe('The law or policy that stands behind the rule.'),
    enabled: z.boolean().optional().describe('Whether the rule is in force: true unless said.'),
    priority: z.int().optional().describe('Rules with a lower number are asked first: 100 unless said.'),
    dependsOn: z
      .union([name, z.array(name).min(1)])
      .optional()
      .describe('Rules that come first: this one is asked only if none of them has fired.'),
    group: z.string().optional().describe('A label by which lists of rules can be narrowed.'),
    notification: NotificationDefinition.optional().describe('A message that is raised with each firing.'),
    history: z
      .boolean()
      .optional()
      .describe("Of warn and log: whether a firing stands on the record's timeline; false unless said."),
  })
  .meta({ id: 'Rule' })
export type RuleDefinition = z.infer<typeof RuleDefinition>

/** The key `rules` of a domain. */
export const RulesDefinition = z
  .record(z.string(), RuleDefinition)
  .describe('What is asked of writes: rules that refuse them, warn of them, or write them down, by name.')
export type RulesDefinition = z.infer<typeof RulesDefinition>
