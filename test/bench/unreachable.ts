import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import {
  createAdmin,
  createFolder,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import type { Databases } from './databases.ts'
import { cpuOf } from './processor.ts'
import { COLLECTING, collectedMib, residentMib } from './resident.ts'

const CALLS = 10_000
/** Calls until the pages that a store keeps in memory are all it will keep: they are no growth. */
const WARM_UP = 14_000
const AT_ONCE = 50
const ENDPOINTS = 10
const EVENTS = 1000
/** Rounds with one that answers, and with one that does not, in turn. */
const ROUNDS = 3

/** Measures what those who do not answer cost: calls to a dead address, and deliveries of which one endpoint in ten is dead; prints it. */
export async function measureUnreachable(open: (folder: TestFolder) => Promise<Databases>): Promise<void> {
  const folder = createFolder()
  const databases = await open(folder)
  const dead = createTcpServer().listen(0, '127.0.0.1')
  await once(dead, 'listening')
  const nowhere = `http://127.0.0.1:${(dead.address() as AddressInfo).port}`
  dead.close()
  const counts = new Map<string, number>()
  const receiver = createServer((asked, response) => {
    asked.resume().on('end', () => {
      const path = asked.url ?? ''
      counts.set(path, (counts.get(path) ?? 0) + 1)
      response.writeHead(204).end()
    })
  })
  // One that takes connections, and never answers.
  const silent = createServer(() => undefined)
  for (const one of [receiver, silent]) {
    one.listen(0, '127.0.0.1')
    await once(one, 'listening')
  }
  const urlOf = (one: typeof receiver) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`
  const config = folder.write(
    testConfig({
      ...databases.config,
      auth: { jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 3600 } },
      outbound: { allow_private: ['127.0.0.1'] },
      metrics: { port: 0 },
      webhooks: { timeout_ms: 5000 },
      management: { socket: false },
    }),
    'unreachable.json',
  )
  const password = await createAdmin(config)
  const server = await startServer(config, { node: COLLECTING })
  try {
    const token = await signIn(server.request, password)
    const send = async (method: string, path: string, body?: object) => {
      const answer = await server.request(method, path, { token, ...(body && { body }) })
      return { status: answer.status, data: answer.body?.data }
    }
    const { status } = await send('POST', '/api/v1/domains', {
      content: JSON.stringify({
        domain: {
          name: 'shop',
          version: '1',
          resources: { Order: { object: { number: 'string' }, permissions: { create: ['*'] } } },
          integrations: {
            nobody: {
              type: 'rest',
              baseUrl: nowhere,
              deadLetter: { enabled: false },
              operations: { ask: { method: 'POST', path: '/x', body: { a: 1 } } },
            },
          },
        },
      }),
    })
    if (status !== 201) throw new Error(`the definition was answered with ${status}`)
    const call = () => send('POST', '/api/v1/shop/integrations/nobody/operations/ask', {})
    await inTurn(WARM_UP, call)
    const kept = async () => ({ resident: residentMib(server.pid), collected: await collectedMib(server) })
    const before = await kept()
    const { port } = await server.logged('metrics.listening')
    const lag = async () => {
      const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text()
      return Number(/^svc_nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text)?.[1]) * 1000
    }
    await lag()
    const [cpu, began] = [cpuOf(server.pid), performance.now()]
    await inTurn(CALLS, call)
    const perSecond = CALLS / ((performance.now() - began) / 1000)
    const cpuUs = (cpuOf(server.pid) - cpu) / CALLS
    const p99 = await lag()
    const after = await kept()
    const more = (what: keyof typeof after) => (after[what] - before[what]).toFixed(0)
    console.log(`a dead address: ${CALLS} calls, ${AT_ONCE} at once, ${perSecond.toFixed(0)} a second, processor ${cpuUs.toFixed(0)} µs a call
  memory ${more('collected')} MiB more than after ${WARM_UP} (goal 20), ${more('resident')} MiB with what is not collected yet; event loop p99 ${p99.toFixed(0)} ms (goal 50)`)

    const made: string[] = []
    const endpoint = async (url: string) => {
      const { data } = await send('POST', '/api/v1/admin/webhooks', {
        url,
        events: ['svc.shop.order.created'],
      })
      made.push(data.id)
    }
    const deliveries = async (prefix: string, alive: number): Promise<Measured> => {
      const [cpu, start] = [cpuOf(server.pid), performance.now()]
      const wanted = EVENTS * alive
      const total = () =>
        [...counts].filter(([path]) => path.startsWith(prefix)).reduce((sum, [, count]) => sum + count, 0)
      const items = Array.from({ length: 100 }, (_, at) => ({ number: `n${at}` }))
      for (let at = 0; at < EVENTS; at += items.length)
        await send('POST', '/api/v1/shop/orders/bulk', { items })
      while (total() < wanted) await new Promise((resolve) => setTimeout(resolve, 20))
      const seconds = (performance.now() - start) / 1000
      return { perSecond: wanted / seconds, cpuUs: (cpuOf(server.pid) - cpu) / wanted }
    }
    for (let at = 0; at < ENDPOINTS - 1; at += 1) await endpoint(`${urlOf(receiver)}/all/${at}`)
    const rounds = { answering: [] as Measured[], silent: [] as Measured[] }
    for (let round = 0; round < ROUNDS * 2; round += 1) {
      const isAnswering = round % 2 === 0
      await endpoint(isAnswering ? `${urlOf(receiver)}/last` : `${urlOf(silent)}/dead`)
      counts.clear()
      rounds[isAnswering ? 'answering' : 'silent'].push(await deliveries('/all', ENDPOINTS - 1))
      await send('DELETE', `/api/v1/admin/webhooks/${made.at(-1)}`)
    }
    const [all, nine] = [middle(rounds.answering), middle(rounds.silent)]
    const of = ({ perSecond, cpuUs }: Measured) =>
      `${perSecond.toFixed(0)} a second (processor ${cpuUs.toFixed(0)} µs each)`
    const share = ((nine.perSecond / all.perSecond) * 100).toFixed(0)
    console.log(
      `deliveries to nine endpoints: ${of(all)} beside a tenth that answers, ${of(nine)} beside one that does not (${share} %, goal 95)`,
    )
  } finally {
    server.kill('SIGKILL')
    await databases.close()
    folder.remove()
    for (const one of [receiver, silent]) {
      one.closeAllConnections()
      one.close()
    }
  }
}

interface Measured {
  readonly perSecond: number
  readonly cpuUs: number
}

/** The median of each figure. */
function middle(rounds: readonly Measured[]): Measured {
  const of = (what: keyof Measured) =>
    rounds.map((one) => one[what]).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0
  return { perSecond: of('perSecond'), cpuUs: of('cpuUs') }
}

async function inTurn(count: number, one: () => Promise<unknown>): Promise<void> {
  let left = count
  const work = async () => {
    while (left-- > 0) await one()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
