import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'

/** Reads a connection URI, or a string of `keyword=value` pairs as libpq takes it. Messages repeat no value. */
export function parseConninfo(conninfo: string): ClientConfig {
  if (/^postgres(ql)?:\/\//.test(conninfo)) return { connectionString: conninfo }
  const config: ClientConfig = {}
  const tls: Tls = { mode: 'prefer', rootCertificate: undefined }
  for (const [keyword, value] of pairs(conninfo)) {
    const apply = KEYWORDS.get(keyword)
    if (apply === undefined) {
      throw new Error(`the keyword '${keyword}' is not known; known are ${[...KEYWORDS.keys()].join(', ')}`)
    }
    apply(value, config, tls)
  }
  const ssl = SSL_MODES.get(tls.mode)
  if (ssl === undefined) throw new Error(`sslmode must be one of ${[...SSL_MODES.keys()].join(', ')}`)
  return { ...config, ssl: ssl(tls.rootCertificate) }
}

interface Tls {
  mode: string
  rootCertificate: string | undefined
}

/** Keywords of libpq that have a meaning here (PostgreSQL documentation, section 34.1.2). */
const KEYWORDS: ReadonlyMap<string, (value: string, config: ClientConfig, tls: Tls) => void> = new Map([
  ['host', (value, config) => void (config.host = value)],
  ['hostaddr', (value, config) => void (config.host = value)],
  ['port', (value, config) => void (config.port = portOf(value))],
  ['dbname', (value, config) => void (config.database = value)],
  ['user', (value, config) => void (config.user = value)],
  ['password', (value, config) => void (config.password = value)],
  ['application_name', (value, config) => void (config.application_name = value)],
  ['options', (value, config) => void (config.options = value)],
  ['sslmode', (value, _, tls) => void (tls.mode = value)],
  ['sslrootcert', (value, _, tls) => void (tls.rootCertificate = value)],
])

function portOf(value: string): number {
  const port = Number(value)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new Error('port must be a number from 1 to 65535')
}

type Ssl = Exclude<ClientConfig['ssl'], undefined>

const verified = (rootCertificate: string | undefined): Ssl =>
  rootCertificate === undefined ? {} : { ca: readFileSync(rootCertificate, 'utf8') }

/** `prefer` goes without encryption: the driver cannot try both. */
const SSL_MODES: ReadonlyMap<string, (rootCertificate: string | undefined) => Ssl> = new Map([
  ['disable', () => false],
  ['allow', () => false],
  ['prefer', () => false],
  ['require', () => ({ rejectUnauthorized: false })],
  ['verify-ca', (root) => ({ ...Object(verified(root)), checkServerIdentity: () => undefined })],
  ['verify-full', verified],
])

/** `a = b c='d e\'f'` as [a, b], [c, d e'f]. */
function pairs(conninfo: string): readonly (readonly [string, string])[] {
  const pair = /\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?=\s|$)/gsy
  const found: [string, string][] = []
  const text = conninfo.trimEnd()
  while (pair.lastIndex < text.length) {
    const match = pair.exec(text)
    if (match === null) throw new Error('it is neither a URI nor a list of keyword=value pairs')
    found.push([match[1] ?? '', (match[2] ?? match[3] ?? '').replace(/\\(.)/gs, '$1')])
  }
  return found
}
