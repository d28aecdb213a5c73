import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import {
  createAdmin,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import type { Databases } from './databases.ts'
import { cpuOf } from './processor.ts'

const CREATES = 1000
const AT_ONCE = 8
const RUNS = 2000
const SINGLE = 60
const SECRET = 'a secret of the bench'

const definitionOf = (url: string, isListening: boolean): string => `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { number: string, amount: integer }
      permissions: { create: ['*'] }
  integrations:
    courier:
      type: rest
      baseUrl: ${url}
      operations:
        tell:
          method: POST
          path: /parcels
          body: { number: '{number}' }
          resource: Order
${isListening ? '          trigger: { resource: Order, event: create }' : ''}
    broken:
      type: rest
      baseUrl: ${url}
      circuitBreaker: { failureThreshold: 1, timeout: 1h }
      operations: { ping: { path: /broken } }
    bank:
      type: webhook
      signature: { secret: '\${SVC_DOMAIN_BANK}', content: '{nonce}.{body}', nonceHeader: X-Nonce }
      replayProtection: { nonceHeader: X-Nonce }
      write: { resource: Order, action: create, mapping: { number: $payload.number, amount: $payload.amount } }
`

/** Measures what integrations cost those who write, and how much leaves and comes in; prints it. */
export async function measureIntegrations(
  folder: TestFolder,
  open: (folder: TestFolder) => Promise<Databases>,
): Promise<void> {
  const arrived: number[] = []
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      arrived.push(performance.now())
      const status = request.url === '/broken' ? 500 : 200
      setTimeout(() => response.writeHead(status).end(), 1)
    })
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const databases = await open(folder)
  const sections = {
    ...databases.config,
    outbound: { allow_private: ['127.0.0.1'] },
    management: { socket: false },
  }
  const config = folder.write(testConfig(sections), 'integrations.json')
  const password = await createAdmin(config)
  const server = await startServer(config, { env: { SVC_DOMAIN_BANK: SECRET } })
  try {
    const token = await signIn(server.request, password)
    const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      server.request('POST', path, { token, body, headers })
    const submit = async (isListening: boolean) => {
      const { status, body } = await send('/api/v1/domains', { content: definitionOf(url, isListening) })
      if (status !== 201) throw new Error(JSON.stringify(body))
    }
    const create = (at: number, ask = server.request) =>
      ask('POST', '/api/v1/shop/orders', { token, body: { number: `n${at}`, amount: at } })
    const receive = (at: number) => {
      const [body, nonce] = [JSON.stringify({ number: `n${at}`, amount: at }), randomUUID()]
      const signature = createHmac('sha256', SECRET).update(`${nonce}.${body}`).digest('hex')
      return send('/api/v1/shop/webhooks/bank', body, { 'X-Nonce': nonce, 'X-Signature': signature })
    }
    await submit(false)
    await inTurn(200, (at) => create(at))
    const plain = await rate(CREATES, server.pid, (at) => create(at))
    const webhook = await rate(CREATES, server.pid, receive)
    await submit(true)
    await inTurn(200, (at) => create(at))
    await settled(arrived)
    const listening = await rate(CREATES, server.pid, (at) => create(at))
    await settled(arrived)
    arrived.length = 0
    const [cpu, began] = [cpuOf(server.pid), performance.now()]
    const items = Array.from({ length: 200 }, (_, at) => ({ number: `r${at}`, amount: at }))
    for (let at = 0; at < RUNS; at += items.length) await send('/api/v1/shop/orders/bulk', { items })
    await settled(arrived)
    const perSecond = arrived.length / (((arrived.at(-1) ?? 0) - began) / 1000)
    const runUs = (cpuOf(server.pid) - cpu) / Math.max(1, arrived.length)
    const waits: number[] = []
    for (let at = 0; at < SINGLE; at += 1) {
      arrived.length = 0
      await create(at)
      const committed = performance.now()
      while (arrived.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      waits.push((arrived[0] ?? 0) - committed)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const blocked: number[] = []
    const ping = () => send('/api/v1/shop/integrations/broken/operations/ping', {})
    await ping()
    for (let at = 0; at < 500; at += 1) {
      const asked = performance.now()
      const { status } = await ping()
      if (status !== 503) throw new Error(`an open breaker answered ${status}`)
      if (at > 50) blocked.push(performance.now() - asked)
    }
    server.kill('SIGKILL')
    await server.exited
    const alone = await rateAlone(folder, sections, create)
    const shown = ({ perSecond, cpuUs }: Rate) =>
      `${perSecond.toFixed(0)} (processor ${cpuUs.toFixed(0)} µs each)`
    const slower = (one: Rate) => `${((plain.perSecond / one.perSecond - 1) * 100).toFixed(0)} % slower`
    console.log(`integrations (a receiver of 1 ms)
  creates a second: ${shown(plain)} plain, ${shown(listening)} with a trigger (${slower(listening)}, goal 10; ${shown(alone)} where nobody sends, ${slower(alone)}: the row and its job), ${shown(webhook)} by a signed webhook with a nonce (${((webhook.perSecond / plain.perSecond) * 100).toFixed(0)} %, goal 60)
  runs: ${arrived.length === 0 ? 0 : perSecond.toFixed(0)} a second (goal 500), processor ${runUs.toFixed(0)} µs each; commit to first byte p50 ${middle(waits, 0.5).toFixed(1)} ms (goal 50)
  open breaker by hand: p50 ${middle(blocked, 0.5).toFixed(2)} ms, p99 ${middle(blocked, 0.99).toFixed(2)} ms (goal 5)`)
  } finally {
    server.kill('SIGKILL')
    await databases.close()
    receiver.closeAllConnections()
    receiver.close()
  }
}

/** The rate of creates with a trigger on a server that does none of the work that they set off. */
async function rateAlone(
  folder: TestFolder,
  sections: object,
  create: (at: number, ask: ServerProcess['request']) => Promise<Answered>,
): Promise<Rate> {
  const config = folder.write(testConfig({ ...sections, jobs: { enabled: false } }), 'alone.json')
  const server = await startServer(config, { env: { SVC_DOMAIN_BANK: SECRET } })
  try {
    await inTurn(200, (at) => create(at, server.request))
    return await rate(CREATES, server.pid, (at) => create(at, server.request))
  } finally {
    server.kill('SIGKILL')
  }
}

interface Answered {
  readonly status: number
  readonly body: unknown
}

async function inTurn(count: number, one: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

interface Rate {
  readonly perSecond: number
  /** What each costs the server, in microseconds. */
  readonly cpuUs: number
}

/** How many of them a second, and what each costs. */
async function rate(count: number, pid: number, one: (at: number) => Promise<Answered>): Promise<Rate> {
  const [cpu, began] = [cpuOf(pid), performance.now()]
  await inTurn(count, async (at) => {
    const { status, body } = await one(at)
    if (status >= 300) throw new Error(`answered with ${status}: ${JSON.stringify(body).slice(0, 300)}`)
  })
  const seconds = (performance.now() - began) / 1000
  return { perSecond: count / seconds, cpuUs: (cpuOf(pid) - cpu) / count }
}

/** Waits until nothing has arrived for a while. */
async function settled(arrived: readonly number[]): Promise<void> {
  for (let before = -1; before !== arrived.length;) {
    before = arrived.length
    await new Promise((resolve) => setTimeout(resolve, 1500))
  }
}

const middle = (all: readonly number[], share: number): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length * share)] ?? 0
