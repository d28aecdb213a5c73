import { readFileSync } from 'node:fs'
import { createKernel, SYSTEM } from '@svc/kernel'
import { standardPlugins } from '@svc/server'
import { column, type Row, type Store, StoreCapability, type Table } from '@svc/store/contract'
import {
  createAdmin,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import type { Databases } from './databases.ts'

/** Records that fall due at once. */
const DUE = 10_000
/** Rows that a heartbeat has to do with, of which none is due. */
const ASLEEP = 1_000_000
/** Records of one request, and rows of one statement. */
const BULK = 100
const CHUNK = 5_000
const QUIET_MS = 3_000
/** The unit of processor times in Linux's /proc. */
const TICK_MS = 10
const BEATS = 50
/** How long firings are waited for. */
const PATIENCE_MS = 120_000

const GOALS = { single: 10, batched: 3, heartbeatMs: 20, readRatio: 2 } as const

const schedule = (kind: string, more: object) => ({
  source: { resource: 'Bill', filter: `status == '${kind}'` },
  relativeTo: 'dueAt',
  enabled: false,
  action: 'update',
  input: { note: kind },
  ...more,
})

const DEFINITION = JSON.stringify({
  domain: {
    name: 'due',
    version: '1',
    resources: {
      Bill: {
        object: { title: 'string', status: 'string', note: 'string', dueAt: 'datetime' },
        indexes: [{ fields: ['note'] }],
        permissions: { list: ['*'], get: ['*'], create: ['*'] },
      },
    },
    schedules: { single: schedule('single', {}), batched: schedule('batched', { batched: true }) },
  },
})

/** Lets records fall due at once, and prints how long that takes, what readers feel of it, and what a heartbeat costs that finds nothing. */
export async function measureFirings(
  folder: TestFolder,
  open: (folder: TestFolder) => Promise<Databases>,
  node: readonly string[],
): Promise<void> {
  const databases = await open(folder)
  const config = testConfig({
    ...databases.config,
    schedules: { heartbeat_seconds: 1 },
    domain: { domain_file: folder.write(DEFINITION, 'due.json') },
  })
  try {
    const path = folder.write(config, 'firings.json')
    const password = await createAdmin(path)
    const server = await startServer(path, { cwd: folder.path, node })
    try {
      const token = await signIn(server.request, password)
      for (const kind of ['single', 'batched'] as const) await measureKind(kind, server, token)
    } finally {
      await server.stop()
    }
    const { logging: _, ...sections } = config
    await measureHeartbeat({ ...sections, jobs: { enabled: false } })
  } finally {
    await databases.close()
  }
}

async function measureKind(
  kind: 'single' | 'batched',
  { request, pid }: ServerProcess,
  token: string,
): Promise<void> {
  const ids: string[] = []
  for (let made = 0; made < DUE; made += BULK) {
    const dueAt = new Date(Date.now() + 1000).toISOString()
    const items = Array.from({ length: BULK }, (_, at) => ({ title: `${made + at}`, status: kind, dueAt }))
    const { status, body } = await request('POST', '/api/v1/due/bills/bulk', { body: { items } })
    if (status >= 300) throw new Error(JSON.stringify(body))
    ids.push(body.data.items?.[0]?.id ?? (await newest(request)))
  }
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const quiet = reads(request, ids)
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  const before = p99(await quiet.stop())
  const busy = reads(request, ids)
  const [started, used] = [performance.now(), cpuMsOf(pid)]
  const { status } = await request('PATCH', `/api/v1/due/schedules/${kind}`, {
    token,
    body: { enabled: true },
  })
  if (status !== 200) throw new Error(`'${kind}' was not switched on: ${status}`)
  for (let done = 0; done < DUE; done = await countOf(request, kind)) {
    if (performance.now() - started > PATIENCE_MS)
      throw new Error(`${done} of ${DUE} ${kind} firings are done`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const seconds = (performance.now() - started) / 1000
  const cpu = (cpuMsOf(pid) - used) / DUE
  const meanwhile = p99(await busy.stop())
  console.log(
    `firings     ${DUE} ${kind.padEnd(7)} in ${seconds.toFixed(1)} s (goal ${GOALS[kind]} s), ` +
      `${cpu.toFixed(2)} ms of the server's processor time each, reads included; ` +
      `p99 of a read by key ${meanwhile.toFixed(1)} ms, on the quiet server ${before.toFixed(1)} ms ` +
      `(goal below ${GOALS.readRatio} times that)`,
  )
}

/** The processor time that a process has used, in milliseconds: on a machine that others use too, it counts more than the clock. */
function cpuMsOf(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? ''
  const [user = 0, system = 0] = afterName.split(' ').slice(11, 13).map(Number)
  return (user + system) * TICK_MS
}

type Request = ServerProcess['request']

async function newest(request: Request): Promise<string> {
  const { body } = await request('GET', '/api/v1/due/bills?limit=1&sort=-id')
  return body.data.items[0].id
}

async function countOf(request: Request, note: string): Promise<number> {
  const { body } = await request('GET', `/api/v1/due/bills/count?filter[note]=${note}`)
  return body.data.total
}

/** Reads one record after the other; answers how long each took, in milliseconds. */
function reads(request: Request, ids: readonly string[]): { stop(): Promise<readonly number[]> } {
  let isOver = false
  const reading = (async () => {
    const took: number[] = []
    for (let at = 0; !isOver; at += 1) {
      const began = performance.now()
      const { status } = await request('GET', `/api/v1/due/bills/${ids[at % ids.length]}`)
      if (status !== 200) throw new Error(`a read was answered with ${status}`)
      took.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    return took
  })()
  return {
    stop() {
      isOver = true
      return reading
    },
  }
}

const p99 = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? 0

/** Times heartbeats of a server inside this process, which does nothing else. */
async function measureHeartbeat(config: Parameters<typeof standardPlugins>[0]): Promise<void> {
  const kernel = createKernel({ config, plugins: standardPlugins(config) })
  await kernel.start()
  try {
    const tick = () => kernel.callAs(SYSTEM)('jobs.tick', {})
    const store = kernel.get(StoreCapability)
    // All that was fired stands there as marks and entries.
    await tick()
    console.log(
      `firings     heartbeat where all ${2 * DUE} have fired: ${await beat(tick)} (goal ${GOALS.heartbeatMs} ms)`,
    )
    await fallAsleep(store)
    await tick()
    console.log(
      `firings     heartbeat where none of ${ASLEEP} is due: ${await beat(tick)} (goal ${GOALS.heartbeatMs} ms)`,
    )
  } finally {
    await kernel.stop()
  }
}

async function beat(tick: () => Promise<unknown>): Promise<string> {
  const took: number[] = []
  for (let at = 0; at < BEATS; at += 1) {
    const began = performance.now()
    await tick()
    took.push(performance.now() - began)
  }
  const sorted = took.toSorted((a, b) => a - b)
  return `${sorted[Math.floor(BEATS / 2)]!.toFixed(1)} ms, at worst ${sorted.at(-1)!.toFixed(1)} ms`
}

/** The table that says when records are due. */
const COLUMNS = {
  schedule: column('schedule', 'text'),
  recordId: column('recordId', 'text'),
  at: column('at', 'datetime'),
  lookAt: column('lookAt', 'datetime', true),
}
const table: Table = {
  name: 'due__schedules__due',
  columns: Object.values(COLUMNS),
  primaryKey: [COLUMNS.schedule, COLUMNS.recordId],
  indexes: [],
  foreignKeys: [],
}

/** Puts rows that are due some other year. */
async function fallAsleep(store: Store): Promise<void> {
  const at = '2999-01-01T00:00:00.000Z'
  for (let made = 0; made < ASLEEP; made += CHUNK) {
    const rows = Array.from({ length: CHUNK }, (_, one): Row => ({
      schedule: 'single',
      recordId: `asleep-${made + one}`,
      at,
      lookAt: at,
    }))
    await store.transaction((transaction) => transaction.insertRows({ table, rows }))
  }
}
