import type { Secret } from '@svc/domain/contract'
import { type Outbound, OutboundError } from '@svc/outbound/contract'
import type { Authorities } from '../../auth/authorities.ts'
import { revealed } from '../../auth/secret.ts'
import type { Attempted, AttemptFailure } from '../../run/attempted.ts'
import { failureOf } from '../../wire/outbound-failure.ts'
import type { Mail } from './mail.ts'

/** A file that goes with a mail. */
export interface Attachment {
  readonly filename: string
  readonly contentType: string
  readonly content: Buffer
}

/** How mails are handed over. */
export interface MailServer {
  readonly outbound: Outbound
  readonly host: string
  readonly port: number
  readonly secure: 'starttls' | 'tls' | 'none'
  readonly auth: { readonly username: string; readonly password: Secret } | undefined
  readonly authorities: Authorities | undefined
  readonly timeoutMs: number
}

/** Takes the connection that a mail goes over. */
type GotSocket = (
  error: Error | null,
  socket?: { readonly connection: Awaited<ReturnType<Outbound['connect']>> },
) => void

/** Hands a mail over, once. Throws CONFLICT where the password is not configured. */
export async function deliver(
  mail: Mail,
  attachments: readonly Attachment[],
  {
    messageId,
    date,
    signal,
  }: { readonly messageId: string; readonly date: Date; readonly signal: AbortSignal },
  server: MailServer,
): Promise<Attempted> {
  const { outbound, host, port, secure, auth, authorities, timeoutMs } = server
  const { ca } = authorities?.() ?? {}
  const isConfidential = auth !== undefined && secure === 'none'
  const credentials = auth && { user: auth.username, pass: revealed(auth.password) }
  const late = AbortSignal.timeout(timeoutMs)
  const ending = AbortSignal.any([signal, late])
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host,
    port,
    secure: secure === 'tls',
    requireTLS: secure === 'starttls',
    ignoreTLS: secure === 'none',
    ...(ca !== undefined && { tls: { ca } }),
    ...(credentials && { auth: credentials }),
    // A mail is what was mapped and nothing else: no content may name a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket(_: unknown, callback: GotSocket) {
      outbound.connect({ host, port, isConfidential, timeoutMs, signal: ending }).then(
        (connection) => callback(null, { connection }),
        (error: Error) => callback(error),
      )
    },
  })
  const began = performance.now()
  const durationMs = () => Math.round((performance.now() - began) * 10) / 10
  const { from, replyTo, to, cc, bcc, subject, text, html } = mail
  try {
    const { accepted, rejected, response } = await transport.sendMail({
      messageId,
      date,
      from: addressOf(from),
      ...(replyTo !== undefined && { replyTo: addressOf(replyTo) }),
      to: to.map(addressOf),
      cc: cc.map(addressOf),
      bcc: bcc.map(addressOf),
      subject,
      ...(text !== undefined && { text }),
      ...(html !== undefined && { html }),
      attachments: [...attachments],
      signal: ending,
    })
    const reply = String(response)
    const told = { messageId, accepted: accepted.map(String), rejected: rejected.map(String), reply }
    return {
      status: Number(reply.slice(0, 3)) || 250,
      headers: {},
      response: told,
      durationMs: durationMs(),
      isOnce: true,
      failure: undefined,
    }
  } catch (error) {
    const status = replyOf(error) ?? null
    const failure = signal.aborted
      ? { kind: 'cancelled' as const, message: 'it was given up', mayHaveArrived: true }
      : late.aborted
        ? {
            kind: 'timeout' as const,
            message: `'${host}': no last word in ${timeoutMs} ms`,
            mayHaveArrived: true,
          }
        : faultOf(error, host)
    return { status, headers: {}, response: null, durationMs: durationMs(), failure }
  } finally {
    transport.close()
  }
}

/** As an object it is one address, whatever stands in it; as a text it could be read as a list. */
const addressOf = (address: string) => ({ name: '', address })

function replyOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'responseCode' in error ? error.responseCode : undefined
  return typeof code === 'number' ? code : undefined
}

/** RFC 5321, section 4.2.1: a reply of 400 to 499 is for now, one above is the mail server's last word. */
function faultOf(error: unknown, host: string): AttemptFailure {
  if (error instanceof OutboundError) return failureOf(error)
  const message = `'${host}': ${error instanceof Error ? error.message : String(error)}`
  const reply = replyOf(error)
  if (reply !== undefined)
    return reply >= 500
      ? { kind: 'answer', message, mayHaveArrived: false }
      : { kind: 'status', counts: 503, message, mayHaveArrived: false }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EENVELOPE') return { kind: 'answer', message, mayHaveArrived: false }
  return { kind: 'network', message, mayHaveArrived: code !== 'ECONNECTION' && code !== 'ETLS' }
}
