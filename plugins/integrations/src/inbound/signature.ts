import { createHmac } from 'node:crypto'
import type { Path, Secret, Site } from '@svc/domain/contract'
import type { SignatureDefinition, WebhookDefinition } from '../definition/webhook.ts'
import { headerNameFault } from '../wire/headers.ts'
import { type Arrived, type Check, isSame, type Replay } from './arrived.ts'

/** A signature over the bytes of a message. */
export interface Signature extends Check {
  readonly scheme: 'plain' | 'standard' | 'stripe'
  /** What its scheme says of messages that were sent before. */
  readonly replay: Pick<Replay, 'timestampOf' | 'nonceOf'> | undefined
  /** What its scheme tells messages by. */
  idOf?(arrived: Arrived): string | undefined
}

type ReplayDefinition = WebhookDefinition['replayProtection']

const PARTS = /\{(body|timestamp|nonce)\}/g

/** Compiles a signature; undefined where something is wrong, which is reported. */
export function compileSignature(
  written: SignatureDefinition,
  path: Path,
  replay: ReplayDefinition,
  site: Site,
): Signature | undefined {
  const { secret, scheme = 'plain' } = written
  const at = Array.isArray(secret)
    ? secret.map((_, index) => [...path, 'secret', index])
    : [[...path, 'secret']]
  const secrets = at.map((one) => site.secret(one)).filter((one) => one !== undefined)
  if (secrets.length < at.length) return undefined
  if (scheme === 'plain') return plain(written, secrets, path, replay, site)
  for (const key of ['algorithm', 'encoding', 'prefix', 'content', 'timestampHeader', 'nonceHeader'] as const)
    if (written[key] !== undefined)
      site.problem([...path, key], `'scheme: ${scheme}' says it by itself`, 'Take it away')
  return scheme === 'standard' ? standard(secrets) : stripe(written.header, secrets)
}

const base = (secrets: readonly Secret[], hides: readonly string[]) => ({
  type: 'hmac_signature',
  isAddress: false,
  secrets,
  hides,
})

/** Standard Webhooks 1.0.0: any signature of the list, over id, timestamp and body. */
function standard(secrets: readonly Secret[]): Signature {
  return {
    ...base(secrets, ['webhook-signature']),
    scheme: 'standard',
    replay: { timestampOf: ({ header }) => header('webhook-timestamp') },
    idOf: ({ header }) => header('webhook-id'),
    passes({ header, body }) {
      const [id = '', timestamp = ''] = [header('webhook-id'), header('webhook-timestamp')]
      if (id === '' || timestamp === '') return false
      const given = (header('webhook-signature') ?? '').split(' ')
      return some(secrets, given, (secret) => {
        const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
        const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
        return `v1,${hmac.digest('base64')}`
      })
    },
  }
}

/** `t=…,v1=…`: over the timestamp and the body. */
function stripe(name = 'Stripe-Signature', secrets: readonly Secret[]): Signature {
  const parts = ({ header }: Arrived) =>
    (header(name.toLowerCase()) ?? '').split(',').map((one) => one.trim())
  const timestampOf = (arrived: Arrived) =>
    parts(arrived)
      .find((one) => one.startsWith('t='))
      ?.slice(2)
  return {
    ...base(secrets, [name.toLowerCase()]),
    scheme: 'stripe',
    replay: { timestampOf },
    passes(arrived) {
      const timestamp = timestampOf(arrived)
      if (timestamp === undefined) return false
      const given = parts(arrived).filter((one) => one.startsWith('v1='))
      return some(secrets, given, (secret) => {
        const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(arrived.body)
        return `v1=${hmac.digest('hex')}`
      })
    },
  }
}

function plain(
  written: SignatureDefinition,
  secrets: readonly Secret[],
  path: Path,
  replay: ReplayDefinition,
  site: Site,
): Signature | undefined {
  const { header: name = 'X-Signature', algorithm = 'sha256', encoding = 'hex', prefix = '' } = written
  const { content = '{body}' } = written
  const timestampHeader = written.timestampHeader ?? replay?.timestampHeader
  const nonceHeader = written.nonceHeader ?? replay?.nonceHeader
  let isSound = true
  const refuse = (key: string, message: string, hint?: string) => {
    site.problem([...path, key], message, hint)
    isSound = false
  }
  for (const [key, one] of Object.entries({ header: name, timestampHeader, nonceHeader })) {
    const fault = one === undefined ? undefined : headerNameFault(one)
    if (fault !== undefined) refuse(key, fault)
  }
  if (algorithm === 'sha1')
    site.warning([...path, 'algorithm'], 'sha1 is weak', 'Use sha256 where the other side knows it')
  if (!content.includes('{body}'))
    refuse('content', 'does not sign the body', "Write '{body}' where it stands")
  const signs = { timestamp: timestampHeader, nonce: nonceHeader }
  for (const [part, header] of Object.entries(signs)) {
    const isSigned = content.includes(`{${part}}`)
    if (isSigned && header === undefined)
      refuse('content', `signs {${part}}, of which no header is named`, `Name it by '${part}Header'`)
    if (!isSigned && header !== undefined)
      site.warning(
        [...path, 'content'],
        `does not sign the header '${header}'`,
        `Write '{${part}}' where it stands`,
      )
  }
  if (!isSound) return undefined
  const valueOf = ({ header }: Arrived, named: string | undefined) =>
    named === undefined ? '' : header(named.toLowerCase())
  return {
    ...base(secrets, [name.toLowerCase()]),
    scheme: 'plain',
    replay: undefined,
    passes(arrived) {
      const given = arrived.header(name.toLowerCase())
      const parts = {
        body: arrived.body,
        timestamp: content.includes('{timestamp}') ? valueOf(arrived, timestampHeader) : '',
        nonce: content.includes('{nonce}') ? valueOf(arrived, nonceHeader) : '',
      }
      const { timestamp, nonce } = parts
      if (given === undefined || timestamp === undefined || nonce === undefined) return false
      return some(secrets, [given], (secret) => {
        const hmac = createHmac(algorithm, secret)
        for (const [at, piece] of content.split(PARTS).entries())
          hmac.update(
            at % 2 === 0 ? piece : piece === 'body' ? parts.body : piece === 'nonce' ? nonce : timestamp,
          )
        return `${prefix}${hmac.digest(encoding)}`
      })
    },
  }
}

/** Whether one of the signatures is that by one of the secrets. All are looked at, whichever fits. */
function some(
  secrets: readonly Secret[],
  given: readonly string[],
  sign: (secret: string) => string,
): boolean {
  let isGood = false
  for (const secret of secrets) {
    const value = secret.reveal()
    if (value === undefined) continue
    const wanted = sign(value)
    for (const one of given.slice(0, MOST)) if (isSame(one, wanted)) isGood = true
  }
  return isGood
}

/** How many signatures of one message are looked at. */
const MOST = 20
