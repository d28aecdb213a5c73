import { createHmac, randomUUID } from 'node:crypto'
import type { Path, Site } from '@svc/domain/contract'
import { z } from 'zod'
import { headerNameFault } from '../wire/headers.ts'
import { authType } from './auth.ts'
import { revealed } from './secret.ts'

const ALGORITHMS = ['sha256', 'sha384', 'sha512', 'sha1'] as const
const PARTS = /\{(body|timestamp|nonce)\}/g

const header = (what: string) => z.string().min(1).optional().describe(what)

/** `hmac_signature`: a digest of the bytes that are sent, with a key (RFC 2104). */
export const hmacSignature = authType({
  definition: z.strictObject({
    type: z.literal('hmac_signature'),
    secret: z.string().describe('The key: ${NAME}.'),
    header: header('The header with the signature: X-Signature unless said.'),
    algorithm: z.enum(ALGORITHMS).optional().describe('sha256 unless said.'),
    encoding: z.enum(['hex', 'base64', 'base64url']).optional().describe('hex, in lower case, unless said.'),
    prefix: z.string().optional().describe('What stands before the signature; nothing unless said.'),
    content: z
      .string()
      .min(1)
      .optional()
      .describe('What is signed: {body} unless said; with {timestamp} and {nonce} where these are sent.'),
    timestampHeader: header('The header with the seconds since 1970.'),
    nonceHeader: header('The header with a value that is never used twice.'),
  }),
  compile(written, path, site, { env }) {
    const { algorithm = 'sha256', encoding = 'hex', prefix = '', content = '{body}' } = written
    const { header: name = 'X-Signature', timestampHeader, nonceHeader } = written
    const secret = site.secret([...path, 'secret'])
    if (algorithm === 'sha1')
      site.warning([...path, 'algorithm'], 'sha1 is weak', 'Use sha256 where the other side knows it')
    const isSound = checkNames(written, path, site) && checkContent(content, written, path, site)
    if (secret === undefined || !isSound) return undefined
    return {
      type: 'hmac_signature',
      headers: [name, timestampHeader, nonceHeader].filter((one) => one !== undefined),
      query: [],
      secrets: [secret],
      authorize({ body }) {
        const parts = { timestamp: String(Math.floor(env.now() / 1000)), nonce: randomUUID(), body }
        const hmac = createHmac(algorithm, revealed(secret))
        for (const part of content.split(PARTS).entries()) hmac.update(partOf(part, parts))
        const headers: Record<string, string> = { [name]: `${prefix}${hmac.digest(encoding)}` }
        if (timestampHeader !== undefined) headers[timestampHeader] = parts.timestamp
        if (nonceHeader !== undefined) headers[nonceHeader] = parts.nonce
        return { headers }
      },
    }
  },
})

interface Parts {
  readonly body: Uint8Array
  readonly timestamp: string
  readonly nonce: string
}

/** Of a text that is split by its parts, every second piece is the name of one. */
const partOf = ([at, piece]: readonly [number, string], parts: Parts): string | Uint8Array =>
  at % 2 === 0 ? piece : piece === 'body' ? parts.body : piece === 'nonce' ? parts.nonce : parts.timestamp

type Headers = { readonly [K in 'header' | 'timestampHeader' | 'nonceHeader']?: string | undefined }

function checkNames(written: Headers, path: Path, site: Site): boolean {
  let isSound = true
  for (const key of ['header', 'timestampHeader', 'nonceHeader'] as const) {
    const fault = written[key] === undefined ? undefined : headerNameFault(written[key])
    if (fault === undefined) continue
    site.problem([...path, key], fault)
    isSound = false
  }
  return isSound
}

function checkContent(content: string, written: Headers, path: Path, site: Site): boolean {
  const wanted = [
    ['{timestamp}', 'timestampHeader'],
    ['{nonce}', 'nonceHeader'],
  ] as const
  const missing = wanted.filter(([part, key]) => content.includes(part) && written[key] === undefined)
  for (const [part, key] of missing)
    site.problem([...path, 'content'], `signs ${part}, which is not sent`, `Name its header by '${key}'`)
  if (!content.includes('{body}'))
    site.problem([...path, 'content'], 'does not sign the body', "Write '{body}' where it stands")
  return missing.length === 0 && content.includes('{body}')
}
