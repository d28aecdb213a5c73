import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, nearest, StartupError } from '@svc/kernel'
import { z } from 'zod'
import { LoggingConfig } from './logging/config.ts'
import { substitute } from './substitute.ts'

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
  /** The folder of the file: relative paths start here. */
  readonly folder: string
  readonly sections: Config
}

/** Reads a configuration file. Throws a StartupError that says what is wrong and where. */
export function readConfiguration(file: string, variables: NodeJS.ProcessEnv): Configuration {
  const path = resolve(file)
  const written = parseJson(readText(path), path)
  const config = substitute(written, variables)
  const result = ServerSections.safeParse(config)
  if (!result.success)
    throw new StartupError('configuration', result.error.issues.map(describe).join('; '), `Correct ${path}`)
  const { environment: _environment, plugins: _plugins, logging: _logging, ...sections } = config
  return { ...result.data, folder: dirname(path), sections }
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

function describe(issue: z.core.$ZodIssue): string {
  const at = issue.path.join('.')
  if (issue.code !== 'unrecognized_keys') return `'${at}': ${issue.message}`
  return issue.keys.map((key) => unknownKey(`${at}.${key}`, key)).join('; ')
}

function unknownKey(at: string, key: string): string {
  const meant = nearest(key, ['level', 'format', 'file', 'path', 'max_size_mb', 'max_files'])
  return `unknown key '${at}'${meant ? ` (did you mean '${meant}'?)` : ''}`
}
