/** When a plugin is set up. A plugin can require only what its own phase or an earlier one provides. */
export const PHASES = ['transport', 'store', 'auth', 'domain', 'seeder', 'scripting'] as const
export type Phase = (typeof PHASES)[number]
