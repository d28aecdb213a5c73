import { setTimeout as delay } from 'node:timers/promises'
import {
  createAdmin,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import { residentMib } from './resident.ts'

const LOGINS = 200
const ROUNDS = 3
/** How often somebody else asks for something small meanwhile, in milliseconds. */
const PULSE_MS = 10
const GOAL_MS = 200

/** Lets 200 people sign in at once, and prints how long others wait meanwhile and what it costs in memory. */
export async function measureLogins(folder: TestFolder): Promise<void> {
  const config = folder.write(
    testConfig({ sqlite: { path: 'logins.db' }, rate_limit: { enabled: false } }),
    'logins.json',
  )
  const password = await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path })
  try {
    await signIn(server.request, password)
    console.log(`${LOGINS} logins at once, ${ROUNDS} times`)
    // The first time fills pools and caches; what grows after that would grow for ever.
    for (let round = 0; round < ROUNDS; round += 1) await storm(server, password)
  } finally {
    await server.stop()
  }
}

async function storm(server: ServerProcess, password: string): Promise<void> {
  const before = residentMib(server.pid)
  const started = performance.now()
  const logins = Promise.all(Array.from({ length: LOGINS }, () => signIn(server.request, password)))
  const { times, peak } = await watch(server, logins)
  const seconds = (performance.now() - started) / 1000
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!
  console.log(
    `  logins   ${(LOGINS / seconds).toFixed(0)}/s, /health meanwhile p99 ${p99.toFixed(1)} ms of ${times.length} (goal ${GOAL_MS}), ` +
      `memory ${before.toFixed(0)} MiB, at most ${(peak - before).toFixed(0)} MiB more, ` +
      `${(residentMib(server.pid) - before).toFixed(0)} MiB more afterwards`,
  )
}

/** Asks for the server's health again and again until `work` is done. */
async function watch({ request, pid }: ServerProcess, work: Promise<unknown>) {
  const times: number[] = []
  let peak = 0
  let isOver = false
  const end = work.finally(() => (isOver = true))
  while (!isOver) {
    const asked = performance.now()
    await request('GET', '/health')
    times.push(performance.now() - asked)
    peak = Math.max(peak, residentMib(pid))
    await delay(PULSE_MS)
  }
  await end
  return { times, peak }
}
