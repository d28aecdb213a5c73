import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Import, importsOf, withoutWords } from './scan.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const SKIPPED = new Set(['node_modules', 'dist'])

export interface Source {
  /** From the root of the repository, with `/`. */
  readonly path: string
  readonly text: string
  /** The text without comments and without the content of strings; lines stay where they are. */
  readonly code: string
  readonly imports: readonly Import[]
  /** Not in the build: a test, or support of tests. */
  readonly isTest: boolean
}

export interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** A package of the workspace that runs in production. */
export interface Package {
  /** From the root of the repository, with `/`. */
  readonly folder: string
  readonly manifest: Manifest
  readonly sources: readonly Source[]
}

/** The packages in one place of the workspace, such as `plugins`, or the one package `kernel`. */
export const packagesIn = (place: string): readonly Package[] =>
  (place === 'kernel' ? [place] : subfolders(place)).map(readPackage)

/** Everything that is compiled into the product. */
export const PACKAGES: readonly Package[] = [
  ...packagesIn('kernel'),
  ...packagesIn('plugins'),
  readPackage('apps/server'),
]

/** Every source file of the product, and of its tests. */
export const SOURCES: readonly Source[] = [
  ...PACKAGES.flatMap(({ sources }) => sources),
  ...sourcesBelow('test', () => true),
]

/** Follows a relative import to the path of a source. */
export const resolved = (from: Source, { specifier }: Import): string =>
  posix.join(posix.dirname(from.path), specifier)

function subfolders(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`)
}

function readPackage(folder: string): Package {
  const manifest = readJson<Manifest>(`${folder}/package.json`)
  const { exclude = [] } = readJson<{ exclude?: readonly string[] }>(`${folder}/tsconfig.json`)
  const excluded = exclude.map((glob) => matcher(`${folder}/${glob}`))
  const isTest = (path: string) => excluded.some((pattern) => pattern.test(path))
  return { folder, manifest, sources: sourcesBelow(`${folder}/src`, isTest) }
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T
}

/** A pattern for the globs of compiler configurations: a file, a folder, or `**` and `*` for parts of a path. */
function matcher(glob: string): RegExp {
  const parts: Readonly<Record<string, string>> = { '**/': '(.*/)?', '*': '[^/]*', '.': '\\.' }
  return new RegExp(`^${glob.replace(/\*\*\/|\*|\./g, (part) => parts[part]!)}(/|$)`)
}

function sourcesBelow(folder: string, isTest: (path: string) => boolean): readonly Source[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : sourcesBelow(path, isTest)
    return entry.name.endsWith('.ts') ? [readSource(path, isTest(path))] : []
  })
}

function readSource(path: string, isTest: boolean): Source {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return {
    path,
    text,
    code: withoutWords(text),
    imports: importsOf(text),
    isTest,
  }
}
