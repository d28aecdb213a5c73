import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DomainsCapability, type Language } from '@svc/domain/contract'
import { createKernel, type Phase } from '@svc/kernel'
import { standardPlugins } from './plugins.ts'

/** Plugins that may add to the language, or that those need. */
const PHASES: readonly Phase[] = ['store', 'auth', 'domain']

/**
 * The definition language of the built-in plugins. They say what they add to it when they are set up, so that
 * happens here, over an empty store that is thrown away.
 */
export async function builtInLanguage(): Promise<Language> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-language-'))
  const config = {
    sqlite: { path: join(folder, 'empty.db') },
    auth: { jwt: { secret: randomBytes(32).toString('hex') } },
  }
  const plugins = standardPlugins(config).filter(({ phase }) => PHASES.includes(phase))
  const kernel = createKernel({ config, plugins })
  try {
    await kernel.start()
    return kernel.get(DomainsCapability).language()
  } finally {
    await kernel.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
