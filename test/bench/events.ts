import { startSink } from '../kit/sink.ts'
import {
  createAdmin,
  createFolder,
  type ServerProcess,
  signIn,
  startServer,
  testConfig,
} from '../kit/server-process.ts'
import { OPEN_DATABASES } from './contest.ts'
import { cpuOf } from './processor.ts'
import type { StoreName } from './store-name.ts'

const ROUNDS = 8
const REQUESTS = 2000
const CONNECTIONS = 20
/** What keeping events may add to a create. */
const GOAL_PERCENT = 10
const IDLE_WRITES = 100
/** The most from a commit to the first byte at a receiver, in milliseconds. */
const GOAL_MS = 50

const DEFINITION = `
domain:
  name: told
  version: '1.0.0'
  resources:
    Article:
      object:
        title: { type: string, required: true, maxLength: 200 }
        body: { type: text, required: true }
        author: { type: string, required: true, maxLength: 80 }
        views: { type: integer, min: 0, default: 0 }
        price: { type: decimal, min: 0 }
        createdAt: { type: datetime, autoNow: create }
        updatedAt: { type: datetime, autoNow: update }
      permissions: { list: [authenticated], get: [authenticated], create: [authenticated], update: [authenticated] }
`

interface Side {
  readonly server: ServerProcess
  readonly token: string
  stop(): Promise<void>
}

/** Measures what keeping events adds to a create, and how soon somebody elsewhere hears of one; prints it. */
export async function measureEvents(store: StoreName): Promise<void> {
  const [kept, unkept] = [await open(store, true), await open(store, false)]
  try {
    const costs = { kept: [] as Round[], unkept: [] as Round[] }
    for (const side of [kept, unkept]) await round(side)
    for (let at = 0; at < ROUNDS; at += 1) {
      const turns = [['kept', kept] as const, ['unkept', unkept] as const]
      for (const [name, side] of at % 2 === 0 ? turns : turns.toReversed())
        costs[name].push(await round(side))
    }
    const of = (name: 'kept' | 'unkept', what: keyof Round) => median(costs[name].map((one) => one[what]))
    const more = (what: keyof Round) => ((of('kept', what) / of('unkept', what) - 1) * 100).toFixed(1)
    console.log(`events over ${ROUNDS} rounds of ${REQUESTS} creates, ${CONNECTIONS} at once`)
    console.log(
      `  not kept      ${Math.round(of('unkept', 'cpu'))} µs of processor time and ${Math.round(of('unkept', 'wall'))} µs of time for each create`,
    )
    console.log(
      `  kept          ${more('cpu')} % more processor time, ${more('wall')} % more time (goal ${GOAL_PERCENT} %)`,
    )
    await measureDelivery(kept)
  } finally {
    await kept.stop()
    await unkept.stop()
  }
}

async function open(store: StoreName, enabled: boolean): Promise<Side> {
  const folder = createFolder()
  const databases = await OPEN_DATABASES[store](folder)
  const sections = {
    ...databases.config,
    rate_limit: { enabled: false },
    events: { enabled },
    outbound: { allow_private: ['127.0.0.1'] },
  }
  const config = folder.write(testConfig(sections), 'events.json')
  const password = await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path })
  const token = await signIn(server.request, password)
  const { status } = await server.request('POST', '/api/v1/domains', { token, body: { content: DEFINITION } })
  if (status !== 201) throw new Error(`the definition was not applied: ${status}`)
  return {
    server,
    token,
    async stop() {
      await server.stop()
      await databases.close()
      folder.remove()
    },
  }
}

interface Round {
  readonly cpu: number
  readonly wall: number
}

const article = (at: number) => ({
  title: `Title ${at}`,
  body: 'A text of some length',
  author: 'Ann',
  views: at,
  price: 3,
})

async function create({ server, token }: Side, at: number): Promise<void> {
  const { status } = await server.request('POST', '/api/v1/told/articles', { token, body: article(at) })
  if (status !== 201) throw new Error(`a create was answered with ${status}`)
}

/** Sends a round of creates; answers what each costs, in microseconds. */
async function round(side: Side): Promise<Round> {
  let left = REQUESTS
  const before = cpuOf(side.server.pid)
  const began = performance.now()
  const send = async () => {
    while (left > 0) await create(side, (left -= 1))
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  const wall = ((performance.now() - began) * 1000) / REQUESTS
  return { cpu: (cpuOf(side.server.pid) - before) / REQUESTS, wall }
}

/** How long it takes from the answer of a create to the message at a receiver, one at a time. */
async function measureDelivery(side: Side): Promise<void> {
  let heard: () => void = () => undefined
  const sink = await startSink(() => {
    heard()
    return { status: 204 }
  })
  try {
    const body = { url: `${sink.url}/`, events: ['svc.told.*'] }
    await side.server.request('POST', '/api/v1/admin/webhooks', { token: side.token, body })
    const waits: number[] = []
    for (let at = 0; at < IDLE_WRITES; at += 1) {
      const arrived = new Promise<void>((resolve) => (heard = resolve))
      await create(side, at)
      const answered = performance.now()
      await arrived
      waits.push(performance.now() - answered)
    }
    console.log(`from the answer of a create to its message at a receiver, ${IDLE_WRITES} times, one by one`)
    console.log(
      `  p50 ${median(waits).toFixed(1)} ms (goal ${GOAL_MS} ms), longest ${Math.max(...waits).toFixed(1)} ms`,
    )
  } finally {
    await sink.stop()
  }
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!
