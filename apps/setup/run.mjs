// One command from a fresh clone: installs what the lock file names, builds, then starts or tests.
// Plain JavaScript without dependencies, since nothing is installed yet when it runs.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from './install.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const [task = 'start', ...rest] = process.argv.slice(2)

/** What each task needs: what is installed (`running`, `everything`, or `nothing` by then), whether types are compiled, and what it runs. */
const TASKS = {
  start: {
    installed: 'running',
    carryOut: async () => (await import('./start.mjs')).start(root, rest),
  },
  workspace: {
    // Before anything is installed: the lock file knows nothing yet of what is to be brought in line.
    installed: 'nothing',
    async carryOut() {
      const { renew } = await import('./workspace.mjs')
      const changed = renew(root)
      const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8'))
      run('npx', [
        '--yes',
        '--prefer-offline',
        packageManager,
        'install',
        '--prefer-offline',
        '--no-frozen-lockfile',
      ])
      if (changed.length > 0) run(bin('oxfmt'), changed)
      console.log(changed.length === 0 ? 'everything is in line' : changed.join('\n'))
    },
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
if (installed !== 'nothing') {
  install(installed, run)
  if (typed) run(bin('tsc'), ['-b'])
  const { isBundled } = await import('./bundle.mjs')
  if (!isBundled(root)) run(process.execPath, [path.join('apps', 'setup', 'bundle.mjs')])
}
await carryOut()

function assertNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Node 20.19 or later is needed; this is ${process.version}`)
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
