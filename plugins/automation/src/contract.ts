import { capability } from '@svc/kernel'

/** What rules, workflows and schedules share: triggers, actions, durations, switches. */
export type Automation = object

/** The server's automation. */
export const AutomationCapability = capability<Automation>('automation')
