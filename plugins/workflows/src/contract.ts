import { capability } from '@svc/kernel'

/** Workflows: steps, waits and branches that survive restarts. */
export type Workflows = object

/** The server's workflows. */
export const WorkflowsCapability = capability<Workflows>('workflows')
