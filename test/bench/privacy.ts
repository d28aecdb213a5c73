import { setTimeout as delay } from 'node:timers/promises'
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

/** How many resources a person's records lie in, and how many in each. Ledgers have three entries of every record: two of audit and a version. */
const RESOURCES = 20
const RECORDS = 500
const PORTION = 250
const ROUNDS = 6
const CREATES = 1000
const CONNECTIONS = 10

const GOAL = { eraseS: 2, readMs: 100, lookS: 1, createPercent: 10 } as const

const OPEN = "permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"

const resource = (name: string, more: string, features = '') => `
    ${name}:
      ${features}
      object:
        email: { type: email${more} }
        name: { type: string${more === '' ? '' : ', privacy: { pii: true }'} }
        note: { type: text${more === '' ? '' : ', privacy: { pii: true }'} }
        count: integer
      ${OPEN}`

const IDENTIFIED = ', privacy: { subjectIdentifier: true }'
const LEDGERS = 'features: { audit: true, versioning: true }'
const DEFINITION = `
domain:
  name: people
  version: '1'
  resources:${Array.from({ length: RESOURCES }, (_, at) => resource(`Part${at}`, IDENTIFIED, LEDGERS)).join('')}
    ${resource('Plain', '').trim()}
    ${resource('Asked', IDENTIFIED).trim()}
  privacy:
    subjectIdentifier: { primary: email }
    permissions: { access: [admin], erase: [admin] }
`
const BASE = '/api/v1/people'

/** What is measured: looking for a person and erasing it, with what readers feel of that; what the index of people adds to a create. */
export const PRIVACY_PARTS = ['erase', 'identified'] as const
type Part = (typeof PRIVACY_PARTS)[number]

/** Measures what a person's data cost, and prints it. `node` are options of the server's process. */
export async function measurePrivacy(
  folder: TestFolder,
  open: (folder: TestFolder) => Promise<Databases>,
  parts: readonly Part[],
  node: readonly string[],
): Promise<void> {
  const databases = await open(folder)
  const config = folder.write(
    testConfig({
      ...databases.config,
      rate_limit: { enabled: false },
      rest: { port: 0, body_limit_bytes: 10 * 1024 ** 2 },
    }),
    'privacy.json',
  )
  const password = await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path, node })
  try {
    const token = await signIn(server.request, password)
    await must(server, 'POST', '/api/v1/domains', { token, body: { content: DEFINITION } })
    if (parts.includes('identified')) await measureCreates(server)
    if (!parts.includes('erase')) return
    for (const who of ['other', 'warm', 'asked']) await fill(server, who)
    await erase(server, token, 'warm')
    await measureErase(server, token)
  } finally {
    await server.stop()
    await databases.close()
  }
}

async function fill(server: ServerProcess, who: string): Promise<void> {
  for (let at = 0; at < RESOURCES; at += 1)
    for (let done = 0; done < RECORDS; done += PORTION) {
      const items = Array.from({ length: PORTION }, (_, one) => ({
        email: `${who}@example.org`,
        name: `${who} ${done + one}`,
        note: 'what was said about this person, at some length',
        count: one,
      }))
      const path = `${BASE}/part${at}s/bulk`
      const { body } = await must(server, 'POST', path, { body: { items } })
      const ids = body.data.items.map(({ id }: { readonly id: string }) => id)
      await must(server, 'PATCH', path, {
        body: { ids, data: { note: `said later of ${who}, at some length` } },
      })
    }
}

const about = (who: string): string => `${BASE}/privacy/subject/${who}%40example.org`

const erase = (server: ServerProcess, token: string, who: string, dryRun = false) =>
  must(server, 'POST', `${about(who)}/erase`, { token, body: { reason: 'asked for', dryRun } })

async function measureErase(server: ServerProcess, token: string): Promise<void> {
  console.log(
    `privacy     a person with ${RESOURCES * RECORDS} records in ${RESOURCES} resources, each with two entries of audit and a version`,
  )
  const access = await spent(server, () => must(server, 'GET', about('asked'), { token }))
  const dry = await spent(server, () => erase(server, token, 'asked', true))
  const { body } = await must(server, 'GET', `${BASE}/part0s?limit=1`, {})
  const path = `${BASE}/part0s/${body.data.items[0].id}`
  const over = new AbortController()
  const reads: number[] = []
  const reading = (async () => {
    while (!over.signal.aborted) {
      reads.push(await timed(() => must(server, 'GET', path, {})))
      await delay(2)
    }
  })()
  const erased = await spent(server, () => erase(server, token, 'asked'))
  over.abort()
  await reading
  const ordered = reads.toSorted((a, b) => a - b)
  const p99 = ordered[Math.floor(ordered.length * 0.99)] ?? Number.NaN
  console.log(
    `privacy     access ${inSeconds(access)}, dry run ${inSeconds(dry)} (goal ${GOAL.lookS} s each)`,
  )
  console.log(
    `privacy     erase ${inSeconds(erased)} (goal ${GOAL.eraseS} s), p99 of ${reads.length} reads meanwhile ${p99.toFixed(0)} ms (goal ${GOAL.readMs} ms)`,
  )
}

/** What the index of persons adds to a create. */
async function measureCreates(server: ServerProcess): Promise<void> {
  const costs = { plains: [] as Cost[], askeds: [] as Cost[] }
  for (const path of ['plains', 'askeds'] as const) await round(server, path)
  for (let at = 0; at < ROUNDS; at += 1) {
    const turns = ['plains', 'askeds'] as const
    for (const path of at % 2 === 0 ? turns : turns.toReversed()) costs[path].push(await round(server, path))
  }
  const more = (what: keyof Cost) => {
    const [without, withIt] = [costs.plains, costs.askeds].map((all) => median(all.map((one) => one[what])))
    return ((withIt! / without! - 1) * 100).toFixed(1)
  }
  console.log(
    `privacy     a create with an identifier: ${more('cpu')} % more processor time, ${more('wall')} % more time (goal ${GOAL.createPercent} %)`,
  )
}

interface Cost {
  readonly cpu: number
  readonly wall: number
}

async function round(server: ServerProcess, path: string): Promise<Cost> {
  let left = CREATES
  const before = cpuOf(server.pid)
  const began = performance.now()
  const send = async () => {
    while (left > 0) {
      left -= 1
      const body = { email: `p${left}@example.org`, name: `Person ${left}`, note: 'a note', count: left }
      await must(server, 'POST', `${BASE}/${path}`, { body })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  return { cpu: cpuOf(server.pid) - before, wall: performance.now() - began }
}

const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN

/** Time, and the processor's time of the server, which a busy machine does not make longer. */
async function spent(server: ServerProcess, work: () => Promise<unknown>): Promise<Cost> {
  const before = cpuOf(server.pid)
  const wall = await timed(work)
  return { cpu: cpuOf(server.pid) - before, wall }
}

const inSeconds = ({ cpu, wall }: Cost): string =>
  `${(wall / 1000).toFixed(2)} s with ${(cpu / 1_000_000).toFixed(2)} s of the processor`

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

async function must(
  { request }: ServerProcess,
  method: string,
  path: string,
  options: Parameters<ServerProcess['request']>[2],
): Promise<{ readonly body: any }> {
  const { status, body } = await request(method, path, options)
  if (status >= 300)
    throw new Error(`${method} ${path} was answered with ${status}: ${JSON.stringify(body).slice(0, 300)}`)
  return { body }
}
