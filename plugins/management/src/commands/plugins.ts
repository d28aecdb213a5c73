import type { Command } from '../command.ts'

/** Lists the plugins in their order of set-up. */
export const plugins: Command = {
  name: 'plugins',
  run: ({ host }) => ({ plugins: host.plugins() }),
}
