import type { Command } from '../command.ts'

/** Lists the actions by name, with who may run them and where they are offered. */
export const actions: Command = {
  name: 'actions',
  run({ actions }) {
    const found = actions
      .list()
      .map(({ name, access, routes = [] }) => ({ name, access, routes }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    return { count: found.length, actions: found }
  },
}
