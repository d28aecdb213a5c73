import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A certificate for localhost, and the authority of itself. */
export const AUTHORITY = fixture('localhost.cert.pem')

/** One mail as the mail server received it. */
export interface Received {
  /** The envelope: where it really goes. */
  readonly recipients: readonly string[]
  /** As it came over the wire. */
  readonly raw: string
  readonly mail: Email
  readonly secure: boolean
}

/** A mail server on a free port of this machine. */
export interface TestSmtp {
  readonly port: number
  readonly received: readonly Received[]
  /** Ends every connection at once, as a server that dies does. */
  cut(): void
  stop(): Promise<void>
}

/** What a mail server says to the last byte of a mail: a reply's code, nothing as it dies, or that it took it. */
export type Judge = (mail: Received) => number | 'die' | undefined

/**
 * Starts a real mail server that keeps what it gets, whatever it says to that; without options it knows TLS and asks for no
 * password.
 */
export async function startSmtp(
  options: SMTPServerOptions = {},
  judge: Judge = () => undefined,
): Promise<TestSmtp> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = new SMTPServer({
    key: readFileSync(fixture('localhost.key.pem')),
    cert: readFileSync(AUTHORITY),
    authOptional: true,
    closeTimeout: 100,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString()
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        void PostalMime.parse(raw).then((mail) => {
          const got = { recipients, raw, mail, secure: session.secure }
          received.push(got)
          const said = judge(got)
          if (said === 'die') cut()
          else done(said === undefined ? null : Object.assign(new Error('not now'), { responseCode: said }))
        })
      })
    },
    ...options,
  })
  // A client that goes away is no fault of the server.
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  listening.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  return {
    port,
    received,
    cut,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The token that stands on a line of its own in a mail. */
export function tokenIn({ mail }: Received): string {
  const [token] = /^[A-Za-z0-9_-]{43}$/m.exec(mail.text ?? '') ?? []
  if (token === undefined) throw new Error(`no token in: ${mail.text}`)
  return token
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`../../plugins/rest/src/fixtures/${name}`, import.meta.url))
}
