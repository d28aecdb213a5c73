import { createRequire } from 'node:module'
import { isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nearest, PHASES, type Plugin, StartupError } from '@svc/kernel'
import { BUILT_IN } from './plugins.ts'

/** Finds a plugin by built-in name, by path from `folder`, or by package name as seen from `folder`. Throws a StartupError. */
export async function resolvePlugin(use: string, folder: string): Promise<Plugin> {
  const builtIn = Object.hasOwn(BUILT_IN, use) ? BUILT_IN[use] : undefined
  if (builtIn) return builtIn
  const isPath = use.startsWith('.') || isAbsolute(use)
  const file = isPath ? resolve(folder, use) : packageFile(use, folder)
  return pluginIn(await load(file, use), use)
}

function packageFile(name: string, folder: string): string {
  try {
    return createRequire(join(folder, 'configuration.json')).resolve(name)
  } catch {
    const meant = nearest(name, Object.keys(BUILT_IN))
    const hint = meant
      ? `Did you mean '${meant}'?`
      : `Install the package, write a path, or use one of: ${Object.keys(BUILT_IN).join(', ')}`
    throw new StartupError(
      'configuration',
      `'plugins' names '${name}', which is neither a built-in plugin nor a package here`,
      hint,
    )
  }
}

async function load(file: string, use: string): Promise<object> {
  try {
    return (await import(pathToFileURL(file).href)) as object
  } catch (error) {
    throw new StartupError(
      use,
      `the module cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      `Check ${file}`,
      error,
    )
  }
}

function pluginIn(module: object, use: string): Plugin {
  const found = [...new Set(Object.values(module))].filter(isPlugin)
  const [plugin, second] = found
  if (plugin && !second) return plugin
  const named = found.find((one) => one === (module as { plugin?: unknown }).plugin)
  if (named) return named
  const meant = (module as { plugin?: unknown }).plugin
  throw new StartupError(
    use,
    plugin ? 'the module exports several plugins' : (faultOf(meant) ?? 'the module exports no plugin'),
    "Export one made by definePlugin, under the name 'plugin'",
  )
}

/** Why what a module calls its plugin is none; undefined where it is nothing of the kind. */
function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { name, phase, setup } = value as Record<keyof Plugin, unknown>
  if (typeof name !== 'string') return "the plugin that the module exports has no 'name'"
  if (typeof setup !== 'function')
    return `the plugin '${name}' that the module exports has no function 'setup'`
  const meant = typeof phase === 'string' ? nearest(phase, PHASES) : undefined
  const hint = meant ? `did you mean '${meant}'?` : `there are ${PHASES.join(', ')}`
  return `the plugin '${name}' that the module exports has the phase ${JSON.stringify(phase)} (${hint})`
}

function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== 'object' || value === null) return false
  const { name, phase, setup } = value as Partial<Plugin>
  return typeof name === 'string' && PHASES.some((known) => known === phase) && typeof setup === 'function'
}
