import { connect as connectPlainly, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { OutboundPlace } from './contract.ts'
import { createDeadline } from './deadline.ts'
import { outboundErrorOf } from './faults.ts'
import { tlsOf } from './tls.ts'
import { answering, judged, type Judging } from './judged.ts'

/** What sockets are opened by. */
export interface SocketParts extends Judging {
  /** Authorities besides those of Node, in PEM. */
  readonly ca?: string | undefined
}

/** Opens a socket to a place whose every address was judged. Throws an OutboundError, and nothing else. */
export async function openSocket(
  asked: OutboundPlace,
  parts: SocketParts,
  closing: AbortSignal,
): Promise<Socket> {
  const { host, port, timeoutMs, signal } = asked
  const deadline = createDeadline(timeoutMs, [signal, closing], host)
  try {
    return await deadline.race(opened(asked, parts, deadline.signal))
  } catch (error) {
    throw outboundErrorOf(error, `${host}:${port}`)
  } finally {
    deadline.clear()
  }
}

async function opened(
  { host, port, tls, isConfidential = false }: OutboundPlace,
  parts: SocketParts,
  signal: AbortSignal,
): Promise<Socket> {
  const isExposed = isConfidential && tls === undefined
  const addresses = await judged({ host, port, isExposed }, parts)
  signal.throwIfAborted()
  const to = { host, port, lookup: answering(addresses), autoSelectFamily: true }
  const socket =
    tls === undefined
      ? connectPlainly(to)
      : connectSecurely({
          ...to,
          ...(isIP(host) === 0 && { servername: host }),
          ...tlsOf(tls, parts.ca),
        })
  const abort = () => socket.destroy(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(tls === undefined ? 'connect' : 'secureConnect', resolve)
      socket.once('error', reject)
    })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
