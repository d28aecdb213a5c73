import type { Automation } from '../automation.ts'

/** to be done */
export const createActions = (): Pick<Automation, 'action' | 'performs'> => ({
  action: () => undefined,
  performs: () => undefined,
})
