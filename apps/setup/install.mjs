// Installs what the lock file names, with the pnpm that the manifest names.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const STAMP = path.join('node_modules', '.installed')

/** Installs for `running` or `everything`, by way of `run`, unless that was done for this lock file and this Node. */
export function install(kind, run) {
  const fingerprint = fingerprintOf(readFileSync('pnpm-lock.yaml'))
  const wanted = missing(existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : '', kind, fingerprint)
  if (wanted === undefined) return
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
  writeFileSync(STAMP, `${wanted} ${fingerprint}`)
}

/**
 * What has to be installed where `stamp` tells what was; undefined where that is enough. What only development needs is
 * left out while nothing but running was asked for; a clone that has it once keeps it.
 */
export function missing(stamp, kind, fingerprint) {
  const [had, known] = stamp.split(' ')
  const wanted = had === 'everything' ? had : kind
  return had === wanted && known === fingerprint ? undefined : wanted
}

function fingerprintOf(lockFile) {
  const { modules } = process.versions
  return createHash('sha256')
    .update(lockFile)
    .update(`${modules} ${process.platform} ${process.arch}`)
    .digest('hex')
}

/** Native code is compiled against the headers of the Node that runs: offline, and never for another version. */
function useOwnHeaders() {
  const prefix = path.dirname(path.dirname(process.execPath))
  if (existsSync(path.join(prefix, 'include/node/node_version.h'))) process.env.npm_config_nodedir = prefix
}
