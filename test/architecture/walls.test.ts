import { existsSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Package, PACKAGES, packagesIn, resolved, ROOT, type Source } from './sources.ts'

const KERNEL_IMPORTS = new Set([
  'eventemitter3',
  'fastest-levenshtein',
  'node:crypto',
  'node:dns/promises',
  'uuid',
  'zod',
])
/** Words of transports, stores and formats: the kernel has no use for them. */
const FOREIGN_WORDS = /\b(https?|sql\w*|sqlite|postgres\w*|kysely|hono|yaml|url|cookie)\b/i

const shipped = ({ sources }: Package): readonly Source[] => sources.filter(({ isTest }) => !isTest)

/** Every import that leaves its package, as `file -> specifier`. */
const outward = (one: Package) =>
  shipped(one).flatMap((source) =>
    source.imports
      .filter(({ specifier }) => !specifier.startsWith('.'))
      .map(({ specifier }) => ({ specifier, shown: `${source.path} -> ${specifier}` })),
  )

/** `@scope/name` or `name` of a specifier. */
const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

const offending = (found: readonly { shown: string }[]) => found.map(({ shown }) => shown)

describe('the kernel', () => {
  const [kernel] = packagesIn('kernel')

  it('imports nothing but small libraries of its own, random bytes and names of hosts', () => {
    expect(offending(outward(kernel!).filter(({ specifier }) => !KERNEL_IMPORTS.has(specifier)))).toEqual([])
  })

  it('has no word of transports, stores or formats in its code', () => {
    expect(shipped(kernel!).flatMap(foreignWords)).toEqual([])
  })
})

function foreignWords({ path, code }: Source): readonly string[] {
  return code
    .split('\n')
    .flatMap((line, at) => (FOREIGN_WORDS.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : []))
}

describe.each(packagesIn('plugins').map((one) => [one.folder, one] as const))('%s', (_, plugin) => {
  it('knows the kernel and the contracts of other plugins, and nothing else of the house', () => {
    const own = outward(plugin).filter(({ specifier }) => specifier.startsWith('@svc/'))
    const allowed = (specifier: string) =>
      specifier === '@svc/kernel' || /^@svc\/[a-z]+\/contract$/.test(specifier)
    expect(offending(own.filter(({ specifier }) => !allowed(specifier)))).toEqual([])
  })

  it('offers itself and its contract alone', () => {
    const { exports = {} } = plugin.manifest
    const entries = { '.': 'index', './contract': 'contract' }
    const expected = Object.entries(entries).flatMap(([entry, file]) =>
      existsSync(join(ROOT, plugin.folder, `src/${file}.ts`)) ? [[entry, offer(file)]] : [],
    )
    expect(expected).not.toEqual([])
    expect(exports).toEqual(Object.fromEntries(expected))
  })

  it('has an index that defines plugins and does nothing else', () => {
    const index = plugin.sources.find(({ path }) => path === `${plugin.folder}/src/index.ts`)
    // What only others speak, such as a language, is a contract without a plugin.
    const isContractAlone = plugin.sources.some(({ path }) => path === `${plugin.folder}/src/contract.ts`)
    if (index === undefined) return void expect(isContractAlone, 'src/index.ts').toBe(true)
    expect(strayStatements(index)).toEqual([])
  })
})

/** The condition `source` serves tests and type checks; everybody else gets what the build made. */
const offer = (file: string) => ({
  source: `./src/${file}.ts`,
  types: `./dist/${file}.d.ts`,
  default: `./dist/${file}.js`,
})

/** Lines of a file that start a statement and are no import and no `export const x = definePlugin(`. */
function strayStatements({ code }: Source): readonly string[] {
  const body = code.replace(/^import\b[^']*'[^']*'/gm, '')
  return body
    .split('\n')
    .filter((line) => /^\S/.test(line) && !/^(export const \w+ = definePlugin\(\{|\}\))$/.test(line))
}

describe.each(PACKAGES.map((one) => [one.folder, one] as const))('%s', (_, one) => {
  it('names everything that it imports among its dependencies', () => {
    const { dependencies = {} } = one.manifest
    const undeclared = outward(one).filter(
      ({ specifier }) => !specifier.startsWith('node:') && !Object.hasOwn(dependencies, packageOf(specifier)),
    )
    expect(offending(undeclared)).toEqual([])
  })

  it('writes node: before the modules of Node', () => {
    const bare = outward(one).filter(({ specifier }) => builtinModules.includes(specifier))
    expect(offending(bare)).toEqual([])
  })

  it('reaches its own files only by relative paths', () => {
    const escaping = shipped(one).flatMap((source) =>
      source.imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map((found) => ({ to: resolved(source, found), shown: `${source.path} -> ${found.specifier}` }))
        .filter(({ to }) => !to.startsWith(`${one.folder}/src/`)),
    )
    expect(offending(escaping)).toEqual([])
  })
})
