// One command from a fresh clone: installs what the lock file names, builds, then starts or tests.
// Plain JavaScript without dependencies, since nothing is installed yet when it runs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const [task = 'start', ...rest] = process.argv.slice(2)

/** What each task needs: what is installed (`running`, or `everything`), whether types are compiled, and what it runs. */
const TASKS = {
  start: {
    installed: 'running',
    carryOut: async () => (await import('./start.mjs')).start(root, rest),
  },
  build: { installed: 'everything', typed: true, carryOut: () => undefined },
  pack: {
    installed: 'everything',
    typed: true,
    async carryOut() {
      const { pack } = await import('./pack.mjs')
      console.log((await pack(root, rest)).join('\n'))
    },
  },
  test: {
    installed: 'everything',
    typed: true,
    carryOut: () => run(bin('vitest'), ['run', ...rest]),
  },
  'test:long': {
    installed: 'everything',
    typed: true,
    carryOut: () => run(bin('vitest'), ['run', '--config', 'test/long/vitest.config.ts', ...rest]),
  },
  bench: {
    installed: 'everything',
    typed: true,
    carryOut: () =>
      run(process.execPath, ['test/bench/run.ts', ...rest], {
        NODE_OPTIONS: '--import tsx --conditions=source',
      }),
  },
  check: {
    installed: 'everything',
    typed: true,
    carryOut() {
      run(bin('oxfmt'), ['--check', '.'])
      run(bin('oxlint'), ['--type-aware'])
      run(bin('tsc'), ['-p', 'test'])
      run(bin('vitest'), ['run', 'kernel', 'plugins', 'apps', 'test/architecture', ...rest])
    },
  },
}

if (!Object.hasOwn(TASKS, task))
  fail(`there is no task '${task}'; use one of ${Object.keys(TASKS).join(', ')}`)
const { installed, typed = false, carryOut } = TASKS[task]
process.chdir(root)
assertNode()
install(installed)
if (typed) run(bin('tsc'), ['-b'])
const { bundle } = await import('./bundle.mjs')
await bundle(root)
await carryOut()

function assertNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Node 20.19 or later is needed; this is ${process.version}`)
}

/**
 * Installs unless this very lock file was installed for this very Node before. What only development needs is left out
 * while nothing but running was asked for; a clone that has it once keeps it.
 */
function install(kind) {
  const stamp = path.join('node_modules', '.installed')
  const [had, known] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split(' ') : []
  const wanted = had === 'everything' ? had : kind
  const { modules } = process.versions
  const fingerprint = createHash('sha256')
    .update(readFileSync('pnpm-lock.yaml'))
    .update(`${modules} ${process.platform} ${process.arch}`)
    .digest('hex')
  if (had === wanted && known === fingerprint) return
  useOwnHeaders()
  const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8'))
  const flags = [
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    ...(wanted === 'running' ? ['--prod'] : []),
  ]
  if ((process.env.npm_config_user_agent ?? '').startsWith('pnpm/')) run('pnpm', flags)
  else run('npx', ['--yes', '--prefer-offline', packageManager, ...flags])
  writeFileSync(stamp, `${wanted} ${fingerprint}`)
}

/** Native code is compiled against the headers of the Node that runs: offline, and never for another version. */
function useOwnHeaders() {
  const prefix = path.dirname(path.dirname(process.execPath))
  if (existsSync(path.join(prefix, 'include/node/node_version.h'))) process.env.npm_config_nodedir = prefix
}

function bin(name) {
  return path.join('node_modules', '.bin', name)
}

function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  if (error) fail(`${command} cannot be run: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

function fail(message) {
  console.error(`svc: ${message}`)
  process.exit(1)
}
