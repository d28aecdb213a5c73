import { PHASES } from './phase.ts'
import type { Plugin } from './plugin.ts'
import { StartupError } from './startup-error.ts'

/**
 * The order of set-up: by phase, within a phase by what each requires, otherwise as listed. A service that is
 * missing, provided twice, provided later than it is needed, or needed in a circle ends the start.
 */
export function startOrder(plugins: readonly Plugin[]): readonly Plugin[] {
  assertUniqueNames(plugins)
  const providers = providersOf(plugins)
  const needsOf = (plugin: Plugin): readonly Plugin[] => {
    const needed = [
      ...Object.values(plugin.requires ?? {}).map(
        (need) => providers.get(need.name) ?? missing(plugin, need.name),
      ),
      ...Object.values(plugin.optional ?? {}).flatMap((need) => providers.get(need.name) ?? []),
    ]
    for (const provider of needed) assertNotLater(plugin, provider)
    return needed
  }
  const byPhase = PHASES.flatMap((phase) => plugins.filter((plugin) => plugin.phase === phase))
  return depthFirst(byPhase, needsOf)
}

function depthFirst(
  plugins: readonly Plugin[],
  needsOf: (plugin: Plugin) => readonly Plugin[],
): readonly Plugin[] {
  const done = new Set<Plugin>()
  const visit = (plugin: Plugin, path: readonly Plugin[]) => {
    if (path.includes(plugin)) circular([...path.slice(path.indexOf(plugin)), plugin])
    if (done.has(plugin)) return
    for (const needed of needsOf(plugin)) visit(needed, [...path, plugin])
    done.add(plugin)
  }
  for (const plugin of plugins) visit(plugin, [])
  return [...done]
}

function assertUniqueNames(plugins: readonly Plugin[]): void {
  const seen = new Set<string>()
  for (const { name } of plugins) {
    if (seen.has(name))
      throw new StartupError(name, 'is listed twice', "Remove one of the two from 'plugins'")
    seen.add(name)
  }
}

function providersOf(plugins: readonly Plugin[]): ReadonlyMap<string, Plugin> {
  const providers = new Map<string, Plugin>()
  for (const plugin of plugins) {
    if (!plugin.provides) continue
    const other = providers.get(plugin.provides.name)
    if (other) {
      throw new StartupError(
        plugin.name,
        `provides '${plugin.provides.name}', and so does '${other.name}'`,
        "Keep one of the two in 'plugins'",
      )
    }
    providers.set(plugin.provides.name, plugin)
  }
  return providers
}

function missing(plugin: Plugin, need: string): never {
  throw new StartupError(
    plugin.name,
    `requires '${need}', which no loaded plugin provides`,
    `Add a plugin that provides '${need}' to 'plugins'`,
  )
}

function assertNotLater(plugin: Plugin, provider: Plugin): void {
  if (PHASES.indexOf(provider.phase) <= PHASES.indexOf(plugin.phase)) return
  throw new StartupError(
    plugin.name,
    `needs '${provider.name}', which starts later (phase '${provider.phase}' after '${plugin.phase}')`,
    'Move one of the two to another phase',
  )
}

function circular(path: readonly Plugin[]): never {
  const names = path.map((plugin) => plugin.name)
  throw new StartupError(
    names[0] ?? '',
    `plugins need each other in a circle: ${names.join(' -> ')}`,
    'Break the circle with an event on the bus',
  )
}
