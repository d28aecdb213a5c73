import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundle } from '../../../apps/setup/bundle.mjs'
import { createFolder, PROGRAM, startServer, testConfig } from '../../kit/server-process.ts'

const REFUSER = fileURLToPath(new URL('../../fixtures/third-party-plugin/refuser.js', import.meta.url))
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = dirname(PROGRAM)
/** What `run.ts` loads for everything but `--version`. */
const EXECUTE = /import\("(\.\/execute-[\w-]+\.js)"\)/

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')

/** The files that are loaded with `file`, itself among them. */
function loadedWith(file: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(file)) return known
  known.add(file)
  for (const [, next] of read(file).matchAll(/^(?:import|export)\b[^"\n]*"(\.\/[^"]+)"/gm))
    loadedWith(next!, known)
  return known
}

/** The sources that these files were made of. */
const sourcesOf = (files: ReadonlySet<string>): readonly string[] =>
  [...files].flatMap((file) => {
    const map: unknown = /\/\/# sourceMappingURL=/.test(read(file)) && JSON.parse(read(`${file}.map`))
    return map ? (map as { sources: readonly string[] }).sources : []
  })

/** Node's own modules apart, what these files import from packages. */
const packagesOf = (files: ReadonlySet<string>): readonly string[] =>
  [...files].flatMap((file) =>
    [...read(file).matchAll(/^import\b[^"\n]*"([^."][^"]*)"/gm)]
      .map(([, specifier]) => specifier!)
      .filter((specifier) => !specifier.startsWith('node:')),
  )

describe('the bundled program', () => {
  it('is not made again while none of its sources changes', async () => {
    const { mtimeMs } = statSync(PROGRAM)
    await bundle(ROOT)
    expect(statSync(PROGRAM).mtimeMs).toBe(mtimeMs)
  })

  it('is known by its sources, however the folder is named', () => {
    const inputs = Object.keys(JSON.parse(read('.bundled')) as object)
    expect(inputs).toEqual(expect.arrayContaining(['apps/server/src/main.ts', 'kernel/src/kernel.ts']))
  })

  const first = loadedWith('./main.js')
  const [, execute = ''] = EXECUTE.exec([...first].map(read).join('\n')) ?? []
  const all = loadedWith(execute)

  it('tells its version without loading the rest of itself', () => {
    expect(sourcesOf(first).toSorted()).toEqual([
      'apps/server/src/main.ts',
      'apps/server/src/prepare-process.ts',
      'apps/server/src/release.ts',
      'apps/server/src/run.ts',
      'apps/server/src/trace-to-sources.ts',
    ])
  })

  it('loads drivers, hashing, mail, metrics and globs where they are used, and nothing of them before', () => {
    const rare = /node_modules\/(pg|nodemailer|prom-client|tinyglobby|picomatch|quickjs-[\w-]+)\//
    expect(sourcesOf(all).filter((source) => rare.test(source))).toEqual([])
    expect(packagesOf(all)).toEqual([])
    expect(sourcesOf(all)).toContain('kernel/src/kernel.ts')
  })

  it('is text of one byte a character, which Node reads at once', () => {
    const wide = [...all].filter((file) => [...read(file)].some((character) => character > '\u007f'))
    expect(wide).toEqual([])
  })

  it('tells where in the sources something broke', async () => {
    const folder = createFolder()
    onTestFinished(() => folder.remove())
    const config = folder.write({
      ...testConfig({ sqlite: { path: 'svc.db' } }),
      plugins: ['rest', 'ratelimit', 'sqlite', 'auth', REFUSER],
    })
    const server = await startServer(config)
    onTestFinished(async () => void (await server.stop()))
    await server.request('GET', '/api/v1/refuser/broken')
    const { err } = await server.logged('request.failed')
    const { stack } = err as { stack: string }
    expect(stack).toContain('Error: broken on purpose\n')
    expect(stack).toMatch(/kernel\/src\/call\.ts:\d+:\d+/)
    expect(stack).not.toContain('apps/server/dist')
  })
})
