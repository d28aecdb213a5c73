// Bundles the server: a few files, where a thousand would have to be found, read and linked at every start. TypeScript
// is turned into JavaScript on the way; types are checked by `tsc -b` alone.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** What is installed beside the bundle: native code, and packages whose files are read where they lie. */
export const BESIDE = [
  '@jitl/quickjs-ng-wasmfile-release-sync',
  '@myriaddreamin/typst-ts-node-compiler',
  '@node-rs/argon2',
  'better-sqlite3',
  'quickjs-emscripten-core',
]

/** What else decides how a bundle comes out. */
const CIRCUMSTANCES = ['pnpm-lock.yaml', 'apps/setup/bundle.mjs', 'apps/server/package.json']

/** Bundles the server into `apps/server/dist`, unless nothing has changed since that was last done. */
export async function bundle(folder) {
  // Without a separator at its end, by which sources would not be known.
  const root = path.resolve(folder)
  if (isBundled(root)) return
  const out = outOf(root)
  mkdirSync(out, { recursive: true })
  const begunAt = Date.now()
  // Made beside the old one, so that nobody who starts the program meanwhile finds half of it.
  const making = mkdtempSync(path.join(out, 'making-'))
  try {
    const made = [await bundleProgram(root, making), ...(await bundleWorkers(root, making))]
    const sources = made.flatMap(({ modules }) => modules.filter((id) => isSource(root, id)))
    copyPage(root, making)
    exchange(out, making)
    const inputs = new Set([...CIRCUMSTANCES, ...sources.map((source) => path.relative(root, source))])
    const marks = Object.fromEntries([...inputs].map((file) => [file, mark(root, file)]))
    // What was written meanwhile may be in the bundle or not.
    if (Object.values(marks).every((one) => Number.parseFloat(one) < begunAt))
      writeFileSync(recordIn(out), JSON.stringify(marks))
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/** Whether the bundle that is there is of the sources as they are. */
export function isBundled(root) {
  const out = outOf(root)
  return isCurrent(root, recordIn(out)) && existsSync(path.join(out, 'main.js'))
}

const outOf = (root) => path.join(root, 'apps/server/dist')
const recordIn = (out) => path.join(out, '.bundled')

/** Moves what was made into its place, and takes away what is left of the bundle before. */
function exchange(out, making) {
  const made = new Set(readdirSync(making))
  for (const name of readdirSync(out))
    if (!KEPT.test(name) && !made.has(name)) rmSync(path.join(out, name), { recursive: true, force: true })
  rmSync(path.join(out, 'page'), { recursive: true, force: true })
  for (const name of made) renameSync(path.join(making, name), path.join(out, name))
}

/** Declarations, and what another process may be making at this moment. */
const KEPT = /^(types|making-\w+)$/

/** The program, and what the set-up script calls of it. */
const ENTRIES = ['main', 'prepare-process', 'run']

async function bundleProgram(root, out) {
  const input = Object.fromEntries(ENTRIES.map((name) => [name, `apps/server/src/${name}.ts`]))
  const plugins = MOVED.map(moved)
  return bundleModule(root, { input, plugins }, { dir: out, chunkFileNames: '[name]-[hash].js' })
}

/** What runs in threads and processes of its own, each a module that stands alone: it loads nothing of the server. */
const WORKERS = {
  'render-worker': 'plugins/render/src/pool/worker.ts',
  'sandbox-worker': 'plugins/scripting/src/sandbox/worker.ts',
  'sqlite-worker': 'plugins/store/src/sqlite/thread/worker.ts',
}

async function bundleWorkers(root, out) {
  const made = Object.entries(WORKERS).map(([name, source]) =>
    bundleModule(root, { input: { [name]: source } }, { dir: out, codeSplitting: false }),
  )
  return Promise.all(made)
}

/** Bundles modules of this house; answers the files that went in, and what the result imports from elsewhere. */
export async function bundleModule(root, input, output) {
  const { rolldown } = await import('rolldown')
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    external: BESIDE,
    resolve: { conditionNames: ['source', 'node'] },
    onLog: heed,
    ...input,
  })
  const { output: made } = await build.write({
    format: 'esm',
    // Node reads text that is not ASCII as two bytes a character, and takes three times as long over it.
    charset: 'ascii',
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) => path.relative(root, path.resolve(path.dirname(map), source)),
    ...output,
  })
  await build.close()
  const chunks = made.filter(({ type }) => type === 'chunk')
  return {
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
    imports: chunks.flatMap(({ imports }) => imports),
  }
}

/** An import that is not found would fail where the program is installed. */
function heed(level, { code, message }) {
  if (code === 'UNRESOLVED_IMPORT') fail(message)
  if (level === 'warn') console.warn(message)
}

/** What sources look for in other places than a bundle: there it lies in the same folder. */
const MOVED = [
  {
    source: /render\/src\/pool\/child\.ts$/,
    from: "'../../dist/pool/worker.js'",
    to: "'./render-worker.js'",
  },
  {
    source: /scripting\/src\/sandbox\/sandbox\.ts$/,
    from: "'../../dist/sandbox/worker.js'",
    to: "'./sandbox-worker.js'",
  },
  {
    source: /store\/src\/sqlite\/thread\/thread\.ts$/,
    from: "'../../../dist/sqlite/thread/worker.js'",
    to: "'./sqlite-worker.js'",
  },
  {
    source: /openapi\/src\/docs\/assets\.ts$/,
    from: 'require.resolve(`swagger-ui-dist/${name}`)',
    to: 'new URL(`./page/${name}`, import.meta.url)',
  },
]

function moved({ source, from, to }) {
  return {
    name: `moved ${from}`,
    transform: {
      filter: { id: source },
      handler(code) {
        if (!code.includes(from)) fail(`${source} names no ${from}`)
        // The lines stay as they are, and with them the map.
        return { code: code.replace(from, to), map: null }
      },
    },
  }
}

/** The files of the documentation page; installing their package would run a script that reports whoever does. */
function copyPage(root, out) {
  const require = createRequire(path.join(root, 'plugins/openapi/package.json'))
  const from = path.dirname(require.resolve('swagger-ui-dist/package.json'))
  mkdirSync(path.join(out, 'page'), { recursive: true })
  const wanted = /^(swagger-ui(-bundle\.js|-standalone-preset\.js|\.css)|favicon-32x32\.png|LICENSE|NOTICE)$/
  for (const name of readdirSync(from).filter((one) => wanted.test(one)))
    cpSync(path.join(from, name), path.join(out, 'page', name))
}

/** Own sources; what comes from elsewhere changes with the lock file. */
const isSource = (root, id) => id.startsWith(`${root}${path.sep}`) && !id.includes('node_modules')

function isCurrent(root, record) {
  try {
    const marks = Object.entries(JSON.parse(readFileSync(record, 'utf8')))
    return marks.every(([file, known]) => mark(root, file) === known)
  } catch {
    return false
  }
}

function mark(root, file) {
  const { mtimeMs, size } = statSync(path.join(root, file))
  return `${mtimeMs} ${size}`
}

function fail(message) {
  throw new Error(`the server cannot be bundled: ${message}`)
}

// By itself it bundles the folder that it is run in: the bundler's memory goes with its process.
if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(process.cwd())
