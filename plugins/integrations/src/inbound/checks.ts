import type { Path, Secret, Site } from '@svc/domain/contract'
import { isWithin, readAddresses } from '@svc/outbound/contract'
import { checkAddresses } from '../auth/ip-whitelist.ts'
import type { CheckDefinition, WebhookDefinition } from '../definition/webhook.ts'
import { type Arrived, type Check, isSame } from './arrived.ts'
import { compileSignature, type Signature } from './signature.ts'

/** What a message has to show, all of it. */
export interface Checks {
  readonly all: readonly Check[]
  readonly signatures: readonly Signature[]
}

/** Compiles `auth` and `signature` of a webhook; undefined where something is wrong, which is reported. */
export function compileChecks(written: WebhookDefinition, path: Path, site: Site): Checks | undefined {
  const { auth = [], signature } = written
  const isList = Array.isArray(auth)
  const listed: readonly CheckDefinition[] = isList ? auth : [auth]
  const compiled = listed.map((one, at) =>
    compileCheck(one, isList ? [...path, 'auth', at] : [...path, 'auth'], written, site),
  )
  const own = signature && compileSignature(signature, [...path, 'signature'], written.replayProtection, site)
  if (signature !== undefined) compiled.push(own)
  if (compiled.length === 0 && written.public !== true)
    site.problem(
      path,
      "has neither 'auth' nor 'signature'",
      "Say how messages show whom they come from, or 'public: true'",
    )
  if (compiled.some((one) => one === undefined)) return undefined
  const all = compiled.filter((one) => one !== undefined)
  return { all, signatures: all.filter((one): one is Signature => 'scheme' in one) }
}

function compileCheck(
  written: CheckDefinition,
  path: Path,
  { replayProtection }: WebhookDefinition,
  site: Site,
): Check | Signature | undefined {
  switch (written.type) {
    case 'api_key': {
      const { header = 'X-API-Key', query, prefix = '' } = written
      const given = (arrived: Arrived) =>
        query === undefined ? arrived.header(header.toLowerCase()) : arrived.query[query]
      return withSecret(
        'api_key',
        site.secret([...path, 'key']),
        [header.toLowerCase()],
        given,
        (key) => prefix + key,
      )
    }
    case 'bearer':
      return withSecret(
        'bearer',
        site.secret([...path, 'token']),
        [],
        authorization,
        (token) => `Bearer ${token}`,
      )
    case 'basic': {
      const { username } = written
      const pair = (password: string) => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
      return withSecret('basic', site.secret([...path, 'password']), [], authorization, pair)
    }
    case 'hmac_signature':
      return compileSignature(written, path, replayProtection, site)
    case 'ip_whitelist':
      return compileWhitelist(written.addresses, path, site)
    default:
      site.problem([...path, 'type'], `'${written.type}' fits no webhook`, 'Take another type')
      return undefined
  }
}

const authorization = ({ header }: Arrived): string | undefined =>
  header('authorization')?.replace(/^(bearer|basic) +/i, (_, scheme: string) =>
    scheme.toLowerCase() === 'basic' ? 'Basic ' : 'Bearer ',
  )

function withSecret(
  type: string,
  secret: Secret | undefined,
  hides: readonly string[],
  given: (arrived: Arrived) => string | undefined,
  wanted: (value: string) => string,
): Check | undefined {
  return (
    secret && {
      type,
      isAddress: false,
      secrets: [secret],
      hides,
      passes: (arrived) => isSame(given(arrived) ?? '', wanted(secret.reveal() ?? '')),
    }
  )
}

function compileWhitelist(addresses: readonly string[], path: Path, site: Site): Check | undefined {
  if (!checkAddresses(addresses, path, site)) return undefined
  const ranges = readAddresses(addresses)
  return {
    type: 'ip_whitelist',
    isAddress: true,
    secrets: [],
    hides: [],
    passes: ({ remote }) => isWithin(remote, ranges),
  }
}
