// Starts the server on the example. Secrets and data live in `data/`, made on the first start.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Prepares `data/`, and runs the server until it is stopped; where nobody administrates it yet, it makes somebody who
 * does. `args` may name another configuration, or a command to run on the example in place of the server.
 */
export async function start(root, args) {
  const data = path.join(root, 'data')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const demoFile = path.join(data, 'demo-password')
  process.env.SVC_DATA ??= data
  process.env.SVC_JWT_SECRET ??= kept(path.join(data, 'jwt-secret'), () => secret(48))
  // Lock codes are encrypted: without this they are lost.
  process.env.SVC_DOMAIN_WORKSHOP_KEYS ??= kept(path.join(data, 'encryption-keys'), encryptionKey)
  // The accounts are made once: from then on their password is what was kept, whatever the environment says later.
  process.env.SVC_DEMO_PASSWORD = kept(
    demoFile,
    () => process.env.SVC_DEMO_PASSWORD ?? `${secret(12)}${KINDS}`,
  )
  const { prepareProcess } = await import('../server/dist/prepare-process.js')
  prepareProcess()
  const { run, TERMINAL } = await import('../server/dist/run.js')
  const example = path.join(root, 'apps/server/examples/workshop/config.json')
  const isCommand = args[0] !== undefined && !/^-|\.json$/.test(args[0])
  if (isCommand) process.exit(await run([...args, '--config', example]))
  const [config = example, ...options] = args
  const demo = [
    'Demo',
    `every demo account: ${process.env.SVC_DEMO_PASSWORD} (kept in ${path.relative(root, demoFile)})`,
  ]
  const own = { notes: [demo], commandLine: (words) => `npm start -- ${words}` }
  const terminal = config === example ? { ...TERMINAL, ...own } : TERMINAL
  process.exit(await run(['--config', config, '--first-admin', ...options], terminal))
}

/** One character of each kind that the password policy asks for. */
const KINDS = '-aA1'

const secret = (bytes) => randomBytes(bytes).toString('base64url')

/** As `svc keys generate` prints one. */
const encryptionKey = () => `workshop:${randomBytes(32).toString('base64')}`

/** A secret that is made once and then read again. */
function kept(file, make) {
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}
