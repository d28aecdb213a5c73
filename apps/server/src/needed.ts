import type { Plugin } from '@svc/kernel'

/** Those of some plugins that are wanted, and those that provide what these require, in the order in which they were. */
export function withNeeded(plugins: readonly Plugin[], isWanted: (plugin: Plugin) => boolean): Plugin[] {
  const found = new Set<Plugin>()
  const take = (plugin: Plugin): void => {
    if (found.has(plugin)) return
    found.add(plugin)
    const names = Object.values(plugin.requires ?? {}).map(({ name }) => name)
    for (const other of plugins) if (other.provides && names.includes(other.provides.name)) take(other)
  }
  for (const plugin of plugins) if (isWanted(plugin)) take(plugin)
  return plugins.filter((plugin) => found.has(plugin))
}
