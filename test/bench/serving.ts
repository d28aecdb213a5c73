import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createAdmin, signIn, startServer, type TestFolder, testConfig } from '../kit/server-process.ts'
import type { Databases } from './databases.ts'
import { at, type Bench, upload } from './files.ts'
import type { Job, Seen } from './load.ts'
import { cpuOf } from './processor.ts'

const SMALL_BYTES = 10 * 1024
const CONNECTIONS = 50
const SECONDS = 5
const ROUNDS = 3

const LOAD = fileURLToPath(new URL('./load.ts', import.meta.url))
const BY_HAND = fileURLToPath(new URL('./hand-written-files.ts', import.meta.url))

/** Measures how many small files are served in a second, beside a server of files that was written by hand; prints it. */
export async function measureServing(
  folder: TestFolder,
  open: (folder: TestFolder) => Promise<Databases>,
  node: readonly string[],
): Promise<void> {
  const databases = await open(folder)
  const config = folder.write(
    testConfig({ ...databases.config, files: { root: join(folder.path, 'files') } }),
    'serving.json',
  )
  const password = await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path, node })
  try {
    await measureSmall({ server, token: await signIn(server.request, password) }, folder)
  } finally {
    await server.stop()
    await databases.close()
  }
}

async function measureSmall(bench: Bench, folder: TestFolder): Promise<void> {
  const root = join(folder.path, 'by-hand')
  mkdirSync(root)
  writeFileSync(join(root, 'small'), Buffer.alloc(SMALL_BYTES, 'x'))
  const path = await upload(bench, SMALL_BYTES)
  const byHand = spawn(process.execPath, [...process.execArgv, BY_HAND, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [said] = (await once(byHand.stdout, 'data')) as [Buffer]
    const url = said.toString().trim()
    const seen = { svc: [] as Round[], byHand: [] as Round[] }
    for (let round = -1; round < ROUNDS; round += 1) {
      const svc = await load(bench.server.url, path, bench.server.pid)
      const other = await load(url, '/small', byHand.pid!)
      if (round < 0) continue
      seen.svc.push(svc)
      seen.byHand.push(other)
    }
    const median = (rounds: readonly Round[], of: keyof Round) =>
      at(
        rounds.map((round) => round[of]),
        0.5,
      )
    const [rate, rateByHand] = [median(seen.svc, 'perSecond'), median(seen.byHand, 'perSecond')]
    const [cpu, cpuByHand] = [median(seen.svc, 'cpu'), median(seen.byHand, 'cpu')]
    console.log(
      `  10 KB served           ${Math.round(rate)}/s, by hand ${Math.round(rateByHand)}/s: ${(rate / rateByHand).toFixed(2)} (goal 0.5); processor ${Math.round(cpu)} µs, by hand ${Math.round(cpuByHand)} µs: ${(cpuByHand / cpu).toFixed(2)}`,
    )
  } finally {
    byHand.kill()
  }
}

/** What one round showed; `cpu` is the server's own time for each request, in microseconds. */
interface Round {
  readonly perSecond: number
  readonly cpu: number
}

/** How many answers to one address come in a second, and what each costs. */
async function load(url: string, path: string, pid: number): Promise<Round> {
  const job: Job = {
    url,
    token: '',
    status: 200,
    seconds: SECONDS,
    connections: CONNECTIONS,
    requests: [{ method: 'GET', path }],
  }
  const before = cpuOf(pid)
  const child = spawn(process.execPath, [...process.execArgv, LOAD], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(job))
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
  const { perSecond, answers, wrong } = JSON.parse(output) as Seen
  if (wrong > 0) throw new Error(`${wrong} answers were wrong`)
  return { perSecond, cpu: (cpuOf(pid) - before) / answers }
}
