import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** What stands between a server and a broker, and can fail. */
export interface Proxy {
  readonly port: number
  /** How many connections lead through it. */
  readonly open: number
  /** All that the server has said so far. */
  readonly said: Buffer
  /** Ends every connection at once. */
  cut(): void
  /** Whether nobody is let in. */
  refuse(is: boolean): void
  /** Whether nothing that is sent gets through. */
  hold(is: boolean): void
  /** Whether nothing that the server says gets through, such as an acknowledgement; the connection is good for nothing afterwards. */
  mute(is: boolean): void
  /** Ends every connection once the broker has sent so many bytes more: in the middle of a message. */
  cutAfter(bytes: number): void
  stop(): Promise<void>
}

/** Leads a free port of this machine to a broker, which speaks TLS there where `tls` is given. */
export async function startProxy(host: string, to: number, tls?: TlsOptions): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const said: Buffer[] = []
  let isRefusing = false
  let isHolding = false
  let isMute = false
  let left = Infinity
  const lead = (socket: Socket) => {
    if (isRefusing) {
      socket.destroy()
      return
    }
    const beyond = connect(to, host)
    for (const one of [socket, beyond]) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        socket.destroy()
        beyond.destroy()
      })
    }
    socket.on('data', (chunk: Buffer) => {
      said.push(chunk)
      if (!isHolding && !isMute) beyond.write(chunk)
    })
    beyond.on('data', (chunk: Buffer) => {
      if (isHolding) return
      left -= chunk.length
      if (left > 0) return void socket.write(chunk)
      socket.write(chunk.subarray(0, chunk.length + left))
      left = Infinity
      // Nothing gets through behind the bytes that are missing.
      beyond.pause()
      setImmediate(cut)
    })
  }
  const server = tls === undefined ? createServer(lead) : createTlsServer(tls, lead)
  const cut = () => {
    for (const one of sockets) one.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return sockets.size / 2
    },
    get said() {
      return Buffer.concat(said)
    },
    cut,
    refuse: (is) => void (isRefusing = is),
    hold: (is) => void (isHolding = is),
    mute: (is) => void (isMute = is),
    cutAfter: (bytes) => void (left = bytes),
    async stop() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
