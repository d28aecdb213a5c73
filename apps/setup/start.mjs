// Starts the server on the example. Secrets and data live in `data/`, made on the first start.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Prepares `data/`, creates the first administrator, and runs the server until it is stopped. */
export async function start(root, args) {
  const data = path.join(root, 'data')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  process.env.SVC_DATA ??= data
  process.env.SVC_JWT_SECRET ??= kept(path.join(data, 'jwt-secret'), 48)
  process.env.SVC_DEMO_PASSWORD ??= `${kept(path.join(data, 'demo-password'), 12)}-aA1`
  const config = args[0] ?? path.join(root, 'apps/server/examples/workshop/config.json')
  const { run } = await import('../server/dist/run.js')
  const created = await run(['admin', 'create', '--config', config, '--if-none'])
  if (created !== 0) process.exit(created)
  console.log(
    `demo password: ${process.env.SVC_DEMO_PASSWORD} (of every demo account; kept in data/demo-password)`,
  )
  process.exit(await run(['--config', config]))
}

/** A secret that is made once and then read again. */
function kept(file, bytes) {
  if (!existsSync(file)) writeFileSync(file, randomBytes(bytes).toString('base64url'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}
