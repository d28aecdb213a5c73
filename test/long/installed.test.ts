import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pack } from '../../apps/setup/pack.mjs'
import { createFolder, type TestFolder } from '../kit/server-process.ts'
import { compilePlugin, useServer } from '../packed/steps.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** What npm says where the registry is out of reach, and its cache has not everything. */
const OUT_OF_REACH = /ENOTFOUND|ENOTCACHED|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/
const MOST_MEGABYTES = 90
/** The SQLite driver is compiled where its binary cannot be fetched. */
const PATIENCE_MS = 900_000
/** What that compiler leaves behind, which no package brings: sources taken out of their archive, and object files. */
const LEFT_BY_COMPILER = /\/build\/Release\/obj(?:\.target)?\//

// The steps of apps/server/docker/Dockerfile, without Docker.
describe('the packed program, installed by npm in an empty folder', () => {
  let folder: TestFolder
  let tarballs: readonly string[]
  let failure: string | undefined

  beforeAll(async () => {
    folder = createFolder()
    tarballs = await pack(ROOT, [join(folder.path, 'packed')])
    writeFileSync(join(folder.path, 'package.json'), '{"private":true}')
    failure = install(folder.path, tarballs.slice(0, 1))
    if (failure !== undefined && OUT_OF_REACH.test(failure))
      process.stderr.write(`\n*** NOTHING WAS INSTALLED, AND NOTHING OF IT IS TESTED: ***\n${failure}\n`)
  }, PATIENCE_MS)
  afterAll(() => folder.remove())

  it('takes less than 90 MB, and is linked to nothing', (context) => {
    // Said above: npm cannot reach its registry.
    if (failure !== undefined && OUT_OF_REACH.test(failure)) context.skip(failure)
    expect(failure).toBeUndefined()
    const { bytes, links } = measure(join(folder.path, 'node_modules'))
    expect(links).toEqual([])
    expect(bytes / 1e6).toBeLessThan(MOST_MEGABYTES)
  })

  it('runs as `svc`', (context) => {
    // Said above: npm cannot reach its registry.
    if (failure !== undefined && OUT_OF_REACH.test(failure)) context.skip(failure)
    const { status, stdout } = spawnSync(join(folder.path, 'node_modules/.bin/svc'), ['--version'])
    expect([status, stdout.toString()]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
  })

  it(
    'serves a definition, with a plugin that was compiled against what is packed',
    async (context) => {
      failure ??= install(folder.path, [...tarballs.slice(1), '@types/node@20'])
      // Said by npm itself: it cannot reach its registry.
      if (failure !== undefined && OUT_OF_REACH.test(failure)) context.skip(failure)
      expect(failure).toBeUndefined()
      await useServer(folder.path, compilePlugin(folder.path))
    },
    PATIENCE_MS,
  )
})

/** Answers what npm says where it fails. */
function install(folder: string, packages: readonly string[]): string | undefined {
  const args = ['install', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', ...packages]
  const prefix = dirname(dirname(process.execPath))
  // Native code is compiled against the headers of the Node that runs, where they lie beside it.
  const nodedir = existsSync(join(prefix, 'include/node/node_version.h')) && { npm_config_nodedir: prefix }
  const { status, stderr } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...nodedir },
  })
  return status === 0 ? undefined : stderr
}

function measure(folder: string): { readonly bytes: number; readonly links: readonly string[] } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = files.map((file) => join(file.parentPath, file.name))
  const brought = paths.filter((path) => lstatSync(path).isFile() && !LEFT_BY_COMPILER.test(path))
  return {
    bytes: brought.reduce((sum, path) => sum + lstatSync(path).size, 0),
    links: paths.filter((path) => lstatSync(path).isSymbolicLink() && !path.includes('/.bin/')),
  }
}
