import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, configError, type ConfigFault, schemaFaults, StartupError } from '@svc/kernel'
import { z } from 'zod'
import { readEnvironmentFile } from './environment-file.ts'
import { LoggingConfig } from './logging/config.ts'
import { substitute } from './substitute.ts'

/** Where `svc init` puts the configuration. */
export const USUAL_CONFIG = 'svc.json'

const PluginReference = z.union([
  z.string().min(1),
  z.strictObject({
    use: z.string().min(1).describe('The name, package or path'),
    config: z.record(z.string(), z.unknown()).optional().describe('Its section'),
  }),
])
export type PluginReference = z.infer<typeof PluginReference>

/** The sections that the server itself reads. */
export const ServerSections = z.object({
  environment: z
    .enum(['production', 'development'])
    .default('production')
    .describe(
      'development alone returns tokens that mail would carry, and checks answers against their schema',
    ),
  plugins: z
    .array(PluginReference)
    .optional()
    .describe(
      'What to load: names of built-in plugins, packages or paths of modules, or {use, config}; every built-in one unless said',
    ),
  logging: LoggingConfig.prefault({}),
})

/** A configuration file, read and substituted, with its server sections apart from those of plugins. */
export interface Configuration extends z.infer<typeof ServerSections> {
  readonly path: string
  /** The folder of the file: relative paths start here. */
  readonly folder: string
  readonly sections: Config
  /** What is wrong so far; a server section that is wrong counts as left out. */
  readonly faults: readonly ConfigFault[]
}

/**
 * Reads a configuration file. Variables of a file `.env` beside it count where the environment has none. Throws a
 * StartupError where the file cannot be read; what is wrong inside is among the faults.
 */
export function readConfiguration(file: string, variables: NodeJS.ProcessEnv): Configuration {
  const path = resolve(file)
  const written = parseJson(readText(path), path)
  const folder = dirname(path)
  const { config, faults } = substitute(written, { ...readEnvironmentFile(folder), ...variables })
  const { environment, plugins, logging, ...sections } = config
  const server = serverSections({ environment, plugins, logging })
  return { ...server.sections, path, folder, sections, faults: [...faults, ...server.faults] }
}

/** Refuses a configuration that has faults, and tells all of them; `more` are what plugins find. Throws a StartupError. */
export function assertSound({ faults, path }: Configuration, more: readonly ConfigFault[] = []): void {
  const unset = new Set(faults.map((fault) => fault.path))
  // What a variable would have held cannot be judged.
  const all = [...faults, ...more.filter((fault) => !unset.has(fault.path))]
  if (all.length > 0) throw configError(all, `Correct ${path}`)
}

/** Names that are no plugin's section. */
export const SERVER_SECTIONS = Object.keys(ServerSections.shape)

function serverSections(given: Config): {
  readonly sections: z.infer<typeof ServerSections>
  readonly faults: readonly ConfigFault[]
} {
  const faults = schemaFaults(ServerSections, given, '', 'configuration')
  const wrong = new Set(faults.map(({ path }) => path.split('.')[0]))
  const sound = Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)))
  return { sections: ServerSections.parse(sound), faults }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? 'there is no such file'
        : `it cannot be read (${(error as Error).message})`
    throw new StartupError('configuration', `${path}: ${reason}`, 'Name an existing JSON file with --config')
  }
}

function parseJson(text: string, path: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new StartupError(
      'configuration',
      `${path}: not valid JSON: ${(error as Error).message}`,
      'Correct the file; comments are not allowed',
    )
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new StartupError('configuration', `${path}: the file must hold one JSON object`)
}
