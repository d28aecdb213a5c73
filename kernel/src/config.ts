import { nearest } from './nearest.ts'
import type { Plugin } from './plugin.ts'
import { StartupError } from './startup-error.ts'
import type { z } from 'zod'

export type Config = Readonly<Record<string, unknown>>

/** The section that configures `plugin`. */
export const sectionOf = (plugin: Plugin): string => plugin.section ?? plugin.name

/** Checks every section against its plugin's schema before anything starts; answers the parsed sections by plugin. */
export function parseConfig(config: Config, plugins: readonly Plugin[]): ReadonlyMap<Plugin, unknown> {
  const sections = plugins.filter((plugin) => plugin.config).map(sectionOf)
  for (const section of Object.keys(config)) {
    if (!sections.includes(section)) throw unknownSection(section, sections)
  }
  return new Map(plugins.map((plugin) => [plugin, parseSection(plugin, config[sectionOf(plugin)])]))
}

function parseSection(plugin: Plugin, value: unknown): unknown {
  if (!plugin.config) return undefined
  const result = plugin.config.safeParse(value ?? {})
  if (result.success) return result.data
  throw new StartupError(
    plugin.name,
    result.error.issues.map((issue) => describe(issue, sectionOf(plugin), plugin.config!)).join('; '),
    'Correct the configuration file',
  )
}

function unknownSection(section: string, known: readonly string[]): StartupError {
  const meant = nearest(section, known)
  const hint = meant ? `Did you mean '${meant}'?` : `Sections of the loaded plugins: ${known.join(', ')}`
  return new StartupError('configuration', `unknown section '${section}'`, hint)
}

function describe(issue: z.core.$ZodIssue, section: string, schema: z.ZodType): string {
  const at = [section, ...issue.path].join('.')
  if (issue.code !== 'unrecognized_keys') return `'${at}': ${issue.message}`
  const known = keysAt(schema, issue.path)
  return issue.keys
    .map((key) => {
      const meant = nearest(key, known)
      return `unknown key '${at}.${key}'${meant ? ` (did you mean '${meant}'?)` : ''}`
    })
    .join('; ')
}

/** The keys that the object at `path` of a schema may have. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = unwrapped(schema)
  for (const key of path)
    at = unwrapped((at as { shape?: Record<PropertyKey, unknown> } | undefined)?.shape?.[key])
  return Object.keys((at as { shape?: object } | undefined)?.shape ?? {})
}

function unwrapped(schema: unknown): unknown {
  let at = schema as { def?: { innerType?: unknown } } | undefined
  while (at?.def?.innerType) at = at.def.innerType
  return at
}
