import type { Config, Plugin } from '@svc/kernel'
import * as standard from './standard.ts'

/** Every plugin that comes with the server, by the name that configurations use. */
export const BUILT_IN: Readonly<Record<string, Plugin>> = Object.fromEntries(
  Object.values<Plugin>(standard)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((plugin) => [plugin.name, plugin]),
)

/** What is loaded where a configuration lists no plugins: all, with the one store that it has a section for. */
export function standardPlugins(sections: Config): readonly Plugin[] {
  const unused = 'postgres' in sections ? 'sqlite' : 'postgres'
  return Object.values(BUILT_IN).filter(({ name }) => name !== unused)
}
