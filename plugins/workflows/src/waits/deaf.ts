import type { OpenWaits } from './wait.ts'

/** Waits that hear nothing: only their time ends them. */
export const deafWaits: OpenWaits = () => ({
  tables: {},
  open: () => () => undefined,
  now: async () => '',
  rest: async () => undefined,
  catchUp: async () => undefined,
  atDeadline: async (_, { heard }) => ({ by: 'timeout', heard: heard ?? '' }),
  heardBy: async () => '',
  leave: async () => undefined,
})
