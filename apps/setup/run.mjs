// One command from a fresh clone: installs what the lock file names, builds, then starts or tests.
// Plain JavaScript without dependencies, since nothing is installed yet when it runs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const [task = 'start', ...rest] = process.argv.slice(2)

/** What each task runs once everything is installed and built. */
const TASKS = {
  build: () => undefined,
  start: async () => (await import('./start.mjs')).start(root, rest),
  test: () => run(bin('vitest'), ['run', ...rest]),
  bench: () =>
    run(process.execPath, ['test/bench/run.ts', ...rest], {
      NODE_OPTIONS: '--import tsx --conditions=source',
    }),
  check: () => {
    run(bin('oxfmt'), ['--check', '.'])
    run(bin('oxlint'), ['--type-aware'])
    run(bin('tsc'), ['-p', 'test'])
    run(bin('vitest'), ['run', 'kernel', 'plugins', 'apps', 'test/architecture', ...rest])
  },
}

if (!Object.hasOwn(TASKS, task))
  fail(`there is no task '${task}'; use one of ${Object.keys(TASKS).join(', ')}`)
process.chdir(root)
assertNode()
install()
run(bin('tsc'), ['-b'])
await TASKS[task]()

function assertNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Node 20.19 or later is needed; this is ${process.version}`)
}

/** Installs unless this very lock file was installed for this very Node before. */
function install() {
  const stamp = path.join('node_modules', '.installed')
  const { modules } = process.versions
  const wanted = createHash('sha256')
    .update(readFileSync('pnpm-lock.yaml'))
    .update(`${modules} ${process.platform} ${process.arch}`)
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  useOwnHeaders()
  const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8'))
  const flags = ['install', '--frozen-lockfile', '--prefer-offline']
  if ((process.env.npm_config_user_agent ?? '').startsWith('pnpm/')) run('pnpm', flags)
  else run('npx', ['--yes', '--prefer-offline', packageManager, ...flags])
  writeFileSync(stamp, wanted)
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
