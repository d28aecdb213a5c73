import type { z } from 'zod'
import { wordsOf } from './config-words.ts'
import { nearest } from './nearest.ts'
import type { Plugin } from './plugin.ts'
import { StartupError } from './startup-error.ts'

export type Config = Readonly<Record<string, unknown>>

/** One thing that is wrong with a configuration. */
export interface ConfigFault {
  /** The plugin whose section it is in, or `configuration`. */
  readonly component: string
  /** The keys that lead there, joined by dots. */
  readonly path: string
  /** A sentence without its stop that names the path; it never repeats a value. */
  readonly message: string
}

/** The section that configures `plugin`. */
export const sectionOf = (plugin: Plugin): string => plugin.section ?? plugin.name

/** Checks every section against its plugin's schema before anything starts; answers the parsed sections by plugin. */
export function parseConfig(config: Config, plugins: readonly Plugin[]): ReadonlyMap<Plugin, unknown> {
  const faults = configFaults(config, plugins)
  if (faults.length > 0) throw configError(faults, 'Correct the configuration file')
  return new Map(plugins.map((plugin) => [plugin, plugin.config?.parse(config[sectionOf(plugin)] ?? {})]))
}

/** Everything that is wrong with a configuration. Sections under the names of `others` are somebody else's. */
export function configFaults(
  config: Config,
  plugins: readonly Plugin[],
  others: readonly string[] = [],
): readonly ConfigFault[] {
  const configured = plugins.filter((plugin) => plugin.config)
  const sections = configured.map(sectionOf)
  const unknown = Object.keys(config).filter((name) => !sections.includes(name) && !others.includes(name))
  return [
    ...unknown.map((name) => unknownSection(name, [...sections, ...others])),
    ...configured.flatMap((plugin) =>
      schemaFaults(plugin.config!, config[sectionOf(plugin)] ?? {}, sectionOf(plugin), plugin.name),
    ),
  ]
}

/** Everything that `schema` finds wrong with what stands at `path`, for messages under the name of `component`. */
export function schemaFaults(
  schema: z.ZodType,
  value: unknown,
  path: string,
  component: string,
): readonly ConfigFault[] {
  const at = path === '' ? [] : [path]
  return wordsOf(schema, value, at).map((one) => ({ component, ...one }))
}

/** The error that tells all of `faults`, in one line. */
export function configError(faults: readonly ConfigFault[], hint: string): StartupError {
  const components = new Set(faults.map(({ component }) => component))
  const [only = 'configuration'] = components
  const messages = faults.map(({ message }) => message).join('; ')
  return new StartupError(
    components.size === 1 ? only : 'configuration',
    faults.length === 1 ? messages : `${faults.length} faults: ${messages}`,
    hint,
  )
}

function unknownSection(section: string, known: readonly string[]): ConfigFault {
  const meant = nearest(section, known)
  const hint = meant ? `did you mean '${meant}'?` : `there are ${known.join(', ')}`
  return {
    component: 'configuration',
    path: section,
    message: `unknown section '${section}' (${hint})`,
  }
}
