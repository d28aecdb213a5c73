import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What stands between a server and a broker, and can fail. */
export interface Proxy {
  readonly port: number
  /** Ends every connection at once. */
  cut(): void
  /** Whether nobody is let in. */
  refuse(is: boolean): void
  /** Whether nothing that is sent gets through. */
  hold(is: boolean): void
  stop(): Promise<void>
}

/** Leads a free port of this machine to a broker. */
export async function startProxy(host: string, to: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let isRefusing = false
  let isHolding = false
  const server = createServer((socket) => {
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
    socket.on('data', (chunk) => void (isHolding || beyond.write(chunk)))
    beyond.on('data', (chunk) => void (isHolding || socket.write(chunk)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const one of sockets) one.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    refuse: (is) => void (isRefusing = is),
    hold: (is) => void (isHolding = is),
    async stop() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
