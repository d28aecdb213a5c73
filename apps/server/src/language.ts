import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DomainsCapability, type Language } from '@svc/domain/contract'
import { type Config, createKernel, type Phase, type Plugin } from '@svc/kernel'
import type { Arguments } from './arguments.ts'
import { chosen } from './assemble.ts'
import { readConfiguration } from './configuration.ts'
import { BUILT_IN, standardPlugins } from './plugins.ts'

/** Plugins that may add to the language, or that those need. */
const PHASES: readonly Phase[] = ['auth', 'domain']

/** The definition language of the built-in plugins. */
export const builtInLanguage = (): Promise<Language> => languageOf(standardPlugins({}), {})

/** The language of the configuration that `--config` names, or else of the built-in plugins. Throws a StartupError. */
export async function languageFor({ options }: Pick<Arguments, 'options'>): Promise<Language> {
  const file = options.get('config')
  if (file === undefined) return builtInLanguage()
  const configuration = readConfiguration(resolve(file), process.env)
  const here = process.cwd()
  process.chdir(configuration.folder)
  try {
    const { plugins, sections } = await chosen(configuration)
    // A definition that the server would apply at its start is none of the language.
    return await languageOf(plugins, { ...sections, domain: {} })
  } finally {
    process.chdir(here)
  }
}

/** Plugins say what they add to the language when they are set up; that happens here, over an empty store. */
async function languageOf(plugins: readonly Plugin[], sections: Config): Promise<Language> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-language-'))
  const kept = [BUILT_IN['sqlite']!, ...plugins.filter(({ phase }) => PHASES.includes(phase))]
  const owned = new Set(kept.map(({ section, name }) => section ?? name))
  const config = {
    // Nobody signs in here.
    ...(owned.has('auth') && { auth: { jwt: { secret: randomBytes(32).toString('hex') } } }),
    ...Object.fromEntries(Object.entries(sections).filter(([name]) => owned.has(name))),
    sqlite: { path: join(folder, 'empty.db') },
  }
  const kernel = createKernel({ config, plugins: kept })
  try {
    await kernel.start()
    return kernel.get(DomainsCapability).language()
  } finally {
    await kernel.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
