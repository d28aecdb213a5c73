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

/** How many records a sweep finds due, and how they are made. */
const DUE = Number(process.env['BENCH_DUE'] ?? 100_000)
const DUE_PORTION = 2000
/** How long writes alone are looked at before, in milliseconds. */
const ALONE_MS = 10_000

const GOAL = { eraseS: 2, readMs: 100, lookS: 1, createPercent: 10, writeMs: 100 } as const

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

/** What lies past its time, and what others write meanwhile; with `retention` what is due is swept. */
const past = (version: string, retention = '') => `
domain:
  name: past
  version: '${version}'
  resources:
    Visitor:
      features: { audit: true }
      object:
        name: { type: string, privacy: { classification: contact, pii: true } }
        phone: { type: phone, privacy: { classification: contact } }
        left: date
      ${OPEN}
    ${resource('Plain', '').trim()}
  privacy:
    classifications: { contact: {} }
    ${retention}
`
const RETENTION = 'retention: [{ category: contact, duration: 1y, action: anonymize, from: left }]'

/** What is measured: looking for a person and erasing it, with what readers feel of that; what the index of people adds to a create; what writers feel of a sweep. */
export const PRIVACY_PARTS = ['erase', 'identified', 'sweep'] as const
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
      domain: { bulk_limit: DUE_PORTION },
    }),
    'privacy.json',
  )
  const password = await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path, node })
  try {
    const token = await signIn(server.request, password)
    await must(server, 'POST', '/api/v1/domains', { token, body: { content: DEFINITION } })
    if (parts.includes('identified')) await measureCreates(server)
    if (parts.includes('sweep')) await measureSweep(server, token)
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
  const { done: erased, times: reads } = await meanwhile(
    () => must(server, 'GET', path, {}),
    () => spent(server, () => erase(server, token, 'asked')),
  )
  console.log(
    `privacy     access ${inSeconds(access)}, dry run ${inSeconds(dry)} (goal ${GOAL.lookS} s each)`,
  )
  console.log(
    `privacy     erase ${inSeconds(erased)} (goal ${GOAL.eraseS} s), p99 of ${reads.length} reads meanwhile ${p99(reads)} ms (goal ${GOAL.readMs} ms)`,
  )
}

/** What others feel of a sweep, which begins by itself as what is due comes into force: the longest of their writes. */
async function measureSweep(server: ServerProcess, token: string): Promise<void> {
  const submit = (content: string) => must(server, 'POST', '/api/v1/domains', { token, body: { content } })
  await submit(past('1'))
  const base = '/api/v1/past'
  for (let done = 0; done < DUE; done += DUE_PORTION) {
    const items = Array.from({ length: DUE_PORTION }, (_, at) => ({
      name: `Visitor ${done + at}`,
      phone: `+4930${String(1_000_000 + done + at)}`,
      left: '2020-01-01',
    }))
    await must(server, 'POST', `${base}/visitors/bulk`, { body: { items } })
  }
  const write = () =>
    must(server, 'POST', `${base}/plains`, {
      body: { email: 'p@example.org', name: 'P', note: 'n', count: 1 },
    })
  const alone = await meanwhile(write, () => delay(ALONE_MS))
  const swept = await meanwhile(write, () =>
    spent(server, async () => {
      await submit(past('2', RETENTION))
      await server.logged('privacy.swept')
    }),
  )
  console.log(
    `privacy     a sweep of ${DUE} records ${inSeconds(swept.done)}, p99 of ${swept.times.length} writes meanwhile ${p99(swept.times)} ms (goal ${GOAL.writeMs} ms), alone ${p99(alone.times)} ms`,
  )
  const { body } = await must(server, 'GET', `${base}/visitors?limit=1&filter[phone][null]=false`, {})
  if (body.data.totalCount !== 0) throw new Error(`${body.data.totalCount} records are not swept`)
}

/** Does something again and again while something else is done; answers how long each took, in milliseconds. */
async function meanwhile<T>(
  again: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly times: readonly number[] }> {
  const over = new AbortController()
  const times: number[] = []
  const doing = (async () => {
    while (!over.signal.aborted) {
      times.push(await timed(again))
      await delay(2)
    }
  })()
  const done = await work()
  over.abort()
  await doing
  return { done, times }
}

const p99 = (times: readonly number[]): string =>
  (times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN).toFixed(0)

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
