import type { Secret, Site } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import { isUrl, type Outbound, type OutboundTls } from '@svc/outbound/contract'
import { compileAuthorities } from '../../auth/authorities.ts'
import type { Auth, Credentials } from '../../auth/auth.ts'
import { compileAuth } from '../../auth/compile.ts'
import { revealed } from '../../auth/secret.ts'
import type { Parts } from '../../parts.ts'
import type { BrokerDefinition } from './definition.ts'

/** A broker as it is connected to. */
export interface BrokerPlace {
  readonly host: string
  readonly port: number
  readonly tls: OutboundTls | undefined
  readonly username: string | undefined
  readonly password: string | undefined
  /** What stands in the path of the url: the virtual host. */
  readonly path: string | undefined
}

/** Where a broker is, and how it is told who this is. */
export interface Broker {
  readonly auth: readonly Auth[]
  readonly outbound: Outbound
  /** What people are shown of it. */
  readonly shown: string
  /** Worked out for each connection: files and secrets may change. Throws CONFLICT where one is not configured. */
  place(): Promise<BrokerPlace>
}

/** What is particular about a protocol. */
export interface BrokerProtocol {
  readonly scheme: 'amqp' | 'mqtt'
  readonly ports: { readonly plain: number; readonly tls: number }
}

/** Compiles where a broker is; undefined where something is wrong, which is reported. */
export function compileBroker(
  name: string,
  written: BrokerDefinition,
  protocol: BrokerProtocol,
  site: Site,
  parts: Parts,
): Broker | undefined {
  const { url, host, tls = true } = written
  const port = written.port ?? (tls ? protocol.ports.tls : protocol.ports.plain)
  const auth = compileAuth(written.auth, [name, 'auth'], site, parts)
  const authorities = compileAuthorities(written, [name], site, parts.files)
  if ((url === undefined) === (host === undefined))
    site.problem(
      [name, 'host'],
      "is missing, or stands beside 'url'",
      "Write 'host', or 'url' as one variable",
    )
  if (url !== undefined)
    for (const key of ['port', 'tls'] as const)
      if (written[key] !== undefined) site.problem([name, key], "means nothing beside 'url'", 'Take it away')
  const secret = url === undefined ? null : site.secret([name, 'url'])
  if (host !== undefined) {
    const text = host.includes(':') ? `[${host}]` : host
    const fault = /[/?#@]/.test(host)
      ? { message: 'names no host', hint: 'Write a name, such as broker.example.org' }
      : parts.outbound.judge(`https://${text}:${port}`)
    if (fault) {
      site.problem([name, 'host'], fault.message, fault.hint)
      return undefined
    }
  }
  if (auth === undefined || authorities === undefined || secret === undefined) return undefined
  const written0 = [written.auth ?? []].flat().find((one) => one.type === 'basic')
  const username = written0?.type === 'basic' ? written0.username : undefined
  const [password] = auth.find(({ type }) => type === 'basic')?.secrets ?? []
  const ways: readonly Auth[] =
    secret === null
      ? auth
      : [...auth, { type: 'url', headers: [], query: [], secrets: [secret], authorize: () => ({}) }]
  return {
    auth: ways,
    outbound: parts.outbound,
    shown: `${protocol.scheme}://${host === undefined ? '' : `${host}:${port}`}`,
    async place() {
      const none = { username: undefined, password: undefined, path: undefined }
      const at =
        secret === null ? { ...none, host: host ?? '', port, isSecure: tls } : readUrl(secret, protocol)
      const signable = {
        method: '',
        url: '',
        headers: {},
        body: new Uint8Array(),
        signal: NEVER,
        timeoutMs: 0,
      }
      const own: Credentials[] = []
      for (const one of auth) if (one.type === 'mtls') own.push(await one.authorize(signable))
      const spoken: OutboundTls = Object.assign({ ...authorities() }, ...own.map((one) => one.tls ?? {}))
      return {
        host: at.host,
        port: at.port,
        tls: at.isSecure ? spoken : undefined,
        username: username ?? at.username,
        password: password === undefined ? at.password : revealed(password),
        path: at.path,
      }
    },
  }
}

const NEVER = new AbortController().signal

function readUrl(secret: Secret, { scheme, ports }: BrokerProtocol) {
  const text = revealed(secret)
  const url = isUrl(text) ? new URL(text) : undefined
  const isSecure = url?.protocol === `${scheme}s:`
  if (url === undefined || (!isSecure && url.protocol !== `${scheme}:`))
    throw errors.CONFLICT({
      message: `The variable ${secret.variable} is no url of a broker: write ${scheme}s://name:password@host`,
    })
  return {
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: Number(url.port) || (isSecure ? ports.tls : ports.plain),
    isSecure,
    username: url.username === '' ? undefined : decodeURIComponent(url.username),
    password: url.password === '' ? undefined : decodeURIComponent(url.password),
    path: url.pathname.length > 1 ? decodeURIComponent(url.pathname.slice(1)) : undefined,
  }
}
