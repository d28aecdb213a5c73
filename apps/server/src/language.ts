import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DomainsCapability, type Language } from '@svc/domain/contract'
import {
  type Config,
  configError,
  type ConfigFault,
  configFaults,
  createKernel,
  type Phase,
  type Plugin,
  type Variables,
  variablesOf,
} from '@svc/kernel'
import type { Arguments } from './arguments.ts'
import { chosen } from './assemble.ts'
import { readConfiguration, USUAL_CONFIG } from './configuration.ts'
import { withEmptyStore } from './empty-store.ts'
import { readEnvironmentFile } from './environment-file.ts'
import { withNeeded } from './needed.ts'
import { BUILT_IN, standardPlugins } from './plugins.ts'

/** The phases of plugins that may add to the language. */
const PHASES: readonly Phase[] = ['auth', 'domain']
const EMPTY_STORE = BUILT_IN['sqlite']!

/** The definition language of the built-in plugins. */
export const builtInLanguage = (): Promise<Language> => languageOf(standardPlugins({}), {})

/** What a definition is read with. */
export interface Reader {
  readonly language: Language
  /** What its `${VAR}` stand for. */
  readonly variables: Variables
}

/**
 * Reads definitions as the server of a configuration does: the one that `--config` names, or the usual one where it is in this
 * folder; without either, in the language of the built-in plugins. Throws a StartupError.
 */
export async function readerFor({ options }: Pick<Arguments, 'options'>): Promise<Reader> {
  const file = options.get('config') ?? (existsSync(USUAL_CONFIG) ? USUAL_CONFIG : undefined)
  if (file === undefined) return { language: await builtInLanguage(), variables: variablesOf(process.env) }
  const configuration = readConfiguration(resolve(file), process.env)
  const variables = variablesOf({ ...readEnvironmentFile(configuration.folder), ...process.env })
  const here = process.cwd()
  process.chdir(configuration.folder)
  try {
    const { plugins, sections } = await chosen(configuration)
    return { language: await languageOf(plugins, sections, configuration), variables }
  } finally {
    process.chdir(here)
  }
}

interface Written {
  readonly path: string
  readonly faults: readonly ConfigFault[]
}

/**
 * Plugins say what they add to the language when they are set up; that happens here, over an empty store. None is opened: over that
 * store it would begin work that is not its own.
 */
const languageOf = (plugins: readonly Plugin[], sections: Config, written?: Written): Promise<Language> =>
  withEmptyStore((sqlite) => languageOver(sqlite, plugins, sections, written))

async function languageOver(
  sqlite: Config,
  plugins: readonly Plugin[],
  sections: Config,
  written?: Written,
): Promise<Language> {
  const others = plugins.filter(({ provides }) => provides?.name !== EMPTY_STORE.provides?.name)
  const kept = withNeeded(
    [EMPTY_STORE, ...others],
    (one) => one === EMPTY_STORE || PHASES.includes(one.phase),
  )
  const owned = new Set(kept.map(({ section, name }) => section ?? name))
  const config = {
    ...Object.fromEntries(Object.entries(sections).filter(([name]) => owned.has(name))),
    ...(owned.has('auth') && { auth: withoutSignIn(Object(sections['auth'])) }),
    // A definition that the server would apply at its start is none of the language.
    ...(owned.has('domain') && { domain: {} }),
    sqlite,
  }
  const faults = configFaults(config, kept)
  if (written && faults.length > 0) throw configError(explained(faults, written), `Correct ${written.path}`)
  const kernel = createKernel({ config, plugins: kept, serves: false, opens: false })
  try {
    await kernel.start()
    return kernel.get(DomainsCapability).language()
  } finally {
    await kernel.stop()
  }
}

/** Nobody signs in here: the secret may well be where the definition is not. */
const withoutSignIn = (section: Record<string, unknown>): Config => ({
  ...section,
  jwt: { ...Object(section['jwt']), secret: randomBytes(32).toString('hex') },
})

/** Where a variable is not set, that is what is wrong with what stands in its place. */
function explained(faults: readonly ConfigFault[], written: Written): readonly ConfigFault[] {
  const unset = new Map(written.faults.map((fault) => [fault.path, fault]))
  return faults.map((fault) => unset.get(fault.path) ?? fault)
}
