import type { Environment } from '@svc/kernel'
import {
  type Outbound,
  OutboundError,
  type OutboundResponse,
  retryAfter,
  standardSignature,
} from '@svc/outbound/contract'
import { z } from 'zod'
import type { Channel, Delivered, Message } from '../channel.ts'
import { placeOf } from './place-of.ts'

const Settings = z.strictObject({
  url: z.string().describe('Where the message is posted to.'),
  secret: z.string().optional().describe('What signs the message.'),
  headers: z.record(z.string(), z.string()).default({}).describe('Further headers, by name.'),
})
type Settings = z.output<typeof Settings>

/** Statuses besides 5xx after which another try may go well. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429])
/** Nobody reads what a receiver answers. */
const MAX_ANSWER_BYTES = 1024

/** `webhook`: one POST of JSON, signed as Standard Webhooks 1.0.0 have it. */
export function webhookChannel(
  outbound: Outbound,
  { env, timeoutMs }: { readonly env: Environment; readonly timeoutMs: number },
): Channel<typeof Settings> {
  return {
    type: 'webhook',
    isAddressed: false,
    settings: Settings,
    secrets: ['secret'],
    check({ url, headers }, { site, path }) {
      const fault = outbound.judge(url, { isConfidential: Object.keys(headers).length > 0 })
      if (fault) site.problem([...path, 'url'], `the url ${fault.message}`, fault.hint)
      for (const [name, value] of Object.entries(headers)) {
        const wrong = headerFault(name, value)
        if (wrong !== undefined) site.problem([...path, 'headers', name], wrong)
      }
    },
    label: ({ url }) => placeOf(url),
    async deliver(message, { url, secret, headers }, signal) {
      const body = JSON.stringify(payloadOf(message))
      try {
        const answer = await outbound.request({
          url,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'idempotency-key': message.id,
            ...standardSignature({ id: message.id, at: env.now(), body, secret }),
          },
          credentials: headers,
          body,
          timeoutMs,
          maxBodyBytes: MAX_ANSWER_BYTES,
          excess: 'cut',
          signal,
        })
        return deliveredBy(answer, env.now())
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error
        return failedBy(error)
      }
    },
  }
}

const payloadOf = ({ id, source, domain, resource, recordId, record, ...rest }: Message) => ({
  id,
  source: { kind: source.kind, name: source.name, step: source.step },
  domain,
  resource,
  recordId,
  record,
  subject: rest.subject,
  body: rest.body,
  recipients: rest.recipients,
  at: rest.at,
})

function deliveredBy({ status, headers }: OutboundResponse, now: number): Delivered {
  if (status >= 200 && status < 300) return { status: 'sent', responseStatus: status }
  const isTemporary = status >= 500 || TEMPORARY.has(status)
  const afterMs = isTemporary ? retryAfter(headers['retry-after'], now) : undefined
  return {
    status: isTemporary ? 'retry' : 'failed',
    code: 'UPSTREAM_FAILED',
    message: `The receiver answered with ${status}`,
    responseStatus: status,
    ...(afterMs !== undefined && { afterMs }),
  }
}

function failedBy({ code, mayRetry, message }: OutboundError): Delivered {
  const shown =
    code === 'ADDRESS_REFUSED' ? code : code === 'TIMEOUT' ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_FAILED'
  return { status: mayRetry ? 'retry' : 'failed', code: shown, message }
}

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
/** What the message itself says, or the connection. */
const OWN =
  /^(?:host|content-.*|transfer-encoding|connection|idempotency-key|webhook-.*|expect|te|trailer|upgrade)$/i

function headerFault(name: string, value: string): string | undefined {
  if (!TOKEN.test(name)) return `'${name}' is no name for a header`
  if (OWN.test(name)) return `the header '${name}' is set by the service`
  return /[\r\n\0]/.test(value) ? 'the value of a header is one line' : undefined
}
