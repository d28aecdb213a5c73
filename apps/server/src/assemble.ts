import {
  type Config,
  type ConfigFault,
  configFaults,
  createKernel,
  createRedaction,
  type Kernel,
  type Phase,
  type Plugin,
  type Redaction,
  StartupError,
} from '@svc/kernel'
import {
  assertSound,
  type Configuration,
  type PluginReference,
  readConfiguration,
  SERVER_SECTIONS,
} from './configuration.ts'
import { dataFolder } from './data-folder.ts'
import { readEnvironmentFile } from './environment-file.ts'
import { createLogger } from './logging/logger.ts'
import { withNeeded } from './needed.ts'
import { BUILT_IN, standardPlugins } from './plugins.ts'
import { RELEASE } from './release.ts'
import { resolvePlugin } from './resolve-plugin.ts'

export interface Assembly {
  readonly kernel: Kernel
  readonly log: ReturnType<typeof createLogger>['log']
  /** Lets go of the log file; the last thing to do. */
  close(): void
}

/** What a configuration asks for. */
export interface Chosen {
  readonly plugins: readonly Plugin[]
  readonly sections: Config
}

export interface AssembleOptions {
  /** Of these phases are the configured plugins that take part, beside what these require; all unless said. */
  readonly phases?: readonly Phase[]
  /** Whether transports take requests; unless said they do. */
  readonly serves?: boolean
  /** Plugins beside the configured ones. */
  readonly more?: readonly Plugin[]
  /** Keys that count in place of those of the configuration, by section. */
  readonly overrides?: (chosen: Chosen) => Readonly<Record<string, Config>>
  readonly onStopRequest?: (reason: string) => void
}

/**
 * Puts a kernel together from a configuration. The process moves to the configuration's folder, so that every
 * relative path in it starts there, whichever plugin reads it, and takes over the variables of its `.env`. Throws a StartupError.
 */
export async function assemble(
  configuration: Configuration,
  options: AssembleOptions = {},
): Promise<Assembly> {
  process.chdir(configuration.folder)
  for (const [name, value] of Object.entries(readEnvironmentFile(configuration.folder)))
    process.env[name] ??= value
  const found = await chosen(configuration)
  const { plugins } = found
  const { phases } = options
  const kept = phases ? withNeeded(plugins, ({ phase }) => phases.includes(phase)) : plugins
  const config = Object.fromEntries(
    Object.entries(overridden(found.sections, options.overrides?.(found))).filter(
      ([name]) => !ownedByOther(name, plugins, kept),
    ),
  )
  const idle = idleSections(config, kept)
  const known = [...SERVER_SECTIONS, ...idle.map(({ path }) => path)]
  assertSound(configuration, [...idle, ...configFaults(config, kept, known)])
  const redaction = createRedaction()
  const { log, close } = openLog(configuration, redaction)
  try {
    const kernel = createKernel({
      config,
      plugins: [...kept, ...(options.more ?? [])],
      log,
      redaction,
      environment: configuration.environment,
      release: RELEASE,
      dataFolder: dataFolder(configuration),
      serves: options.serves ?? true,
      ...(options.onStopRequest && { onStopRequest: options.onStopRequest }),
    })
    return { kernel, log, close }
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Runs `work` beside the server: over the same configuration, but with the plugins of these phases and what they require alone, and
 * with a log of errors only. Nothing listens.
 */
export async function runBeside<T>(
  file: string,
  phases: readonly Phase[],
  work: (kernel: Kernel) => Promise<T>,
  overrides: NonNullable<AssembleOptions['overrides']> = () => ({}),
): Promise<T> {
  const configuration = readConfiguration(file, process.env)
  const quiet = { ...configuration, logging: { ...configuration.logging, level: 'error' as const } }
  const { kernel, close } = await assemble(quiet, { phases, overrides, serves: false })
  try {
    await kernel.start()
    return await work(kernel)
  } finally {
    await kernel.stop()
    close()
  }
}

function overridden(sections: Config, overrides: Readonly<Record<string, Config>> = {}): Config {
  const over = Object.entries(overrides).map(([name, keys]) => [
    name,
    Object.assign({}, sections[name], keys),
  ])
  return { ...sections, ...Object.fromEntries(over) }
}

function openLog({ logging }: Configuration, redaction: Redaction) {
  try {
    return createLogger(logging, redaction)
  } catch (error) {
    throw new StartupError(
      'logging',
      `the log file cannot be opened: ${(error as Error).message}`,
      "Correct 'logging.file.path'",
      error,
    )
  }
}

/** The plugins that a configuration asks for, and the sections with what it says beside their names. */
export async function chosen(configuration: Configuration): Promise<Chosen> {
  const { plugins, sections, folder, faults } = configuration
  // Without them nobody knows whose the other sections are.
  if (faults.some(({ path }) => path.split('.')[0] === 'plugins')) assertSound(configuration)
  if (plugins === undefined) return { plugins: standardPlugins(sections), sections }
  const loaded = await Promise.all(plugins.map((reference) => resolvePlugin(nameOf(reference), folder)))
  const inline = plugins.flatMap((reference, at) => inlineConfig(reference, loaded[at]!))
  return { plugins: loaded, sections: { ...sections, ...Object.fromEntries(inline) } }
}

const nameOf = (reference: PluginReference): string =>
  typeof reference === 'string' ? reference : reference.use

function inlineConfig(reference: PluginReference, plugin: Plugin): [string, unknown][] {
  if (typeof reference === 'string' || reference.config === undefined) return []
  return [[plugin.section ?? plugin.name, reference.config]]
}

/** Sections of built-in plugins that are not among those that are loaded: whoever wrote them meant something by them. */
function idleSections(config: Config, loaded: readonly Plugin[]): readonly ConfigFault[] {
  return Object.values(BUILT_IN).flatMap((plugin) => {
    const path = plugin.section ?? plugin.name
    if (!Object.hasOwn(config, path) || loaded.some((one) => (one.section ?? one.name) === path)) return []
    const message = `the section '${path}' is of the plugin '${plugin.name}', which is not loaded beside the others (take the section out, or list the plugin in 'plugins')`
    return [{ component: 'configuration', path, message }]
  })
}

/** A section is left out together with its plugin, so that a smaller server starts from the same file. */
function ownedByOther(section: string, all: readonly Plugin[], kept: readonly Plugin[]): boolean {
  const owns = (plugin: Plugin) => (plugin.section ?? plugin.name) === section
  return all.some(owns) && !kept.some(owns)
}
