import { request } from 'node:http'
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

const STREAMS = 1000
/** Each stream is allowed one resource of so many. */
const SHARES = 10
const EVENTS_A_SECOND = 100
const SECONDS = 15
/** How long events that are under way are waited for, in milliseconds. */
const PATIENCE_MS = 20_000

const resourceOf = (at: number) => `
    Kind${at}:
      object: { number: integer }
      permissions: { create: ['*'], list: [reader${at}], get: [reader${at}] }`

const DEFINITION = `
domain:
  name: told
  version: '1'
  resources:${Array.from({ length: SHARES }, (_, at) => resourceOf(at)).join('')}
`

/** Measures what many live streams cost the server, and how soon they are told; prints it. */
export async function measureStreams(open: (folder: TestFolder) => Promise<Databases>): Promise<void> {
  const folder = createFolder()
  const databases = await open(folder)
  const sections = {
    ...databases.config,
    auth: { jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 3600 } },
    management: { socket: false },
  }
  const config = folder.write(testConfig(sections), 'streams.json')
  const password = await createAdmin(config)
  const server = await startServer(config, { node: COLLECTING })
  try {
    const token = await signIn(server.request, password)
    const send = async (method: string, path: string, body: object) => {
      const answer = await server.request(method, path, { token, body })
      if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
      return answer.body.data
    }
    await send('POST', '/api/v1/domains', { content: DEFINITION })
    const readers: string[] = []
    for (let at = 0; at < SHARES; at += 1) readers.push(await readerOf(at, send, server.request))
    const before = { resident: residentMib(server.pid), collected: await collectedMib(server) }
    const waits: number[] = []
    let told = 0
    const streams = []
    for (let at = 0; at < STREAMS; at += 1) {
      const reader = readers[at % SHARES] ?? ''
      const stream = listen(`${server.url}/api/v1/domains/told/events`, reader, (writtenAt) => {
        told += 1
        waits.push(Date.now() - writtenAt)
      })
      streams.push(stream)
      if (at % 50 === 49) await Promise.all(streams.slice(-50).map(({ ready }) => ready))
    }
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const perStream = (what: keyof typeof before, now: number) =>
      (((now - before[what]) * 1024) / STREAMS).toFixed(0)
    const resident = perStream('resident', residentMib(server.pid))
    const collected = perStream('collected', await collectedMib(server))
    const answers: number[] = []
    const create = async (at: number) => {
      const asked = performance.now()
      await server.request('POST', `/api/v1/told/kind${at % SHARES}s`, { body: { number: at } })
      answers.push(performance.now() - asked)
    }
    const measured = async (isListening: boolean) => {
      const [cpu, began] = [cpuOf(server.pid), performance.now()]
      let sent = 0
      const creates: Promise<void>[] = []
      while (performance.now() - began < SECONDS * 1000) {
        const due = Math.floor(((performance.now() - began) / 1000) * EVENTS_A_SECOND)
        for (; sent < due; sent += 1) creates.push(create(sent))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      const share = (cpuOf(server.pid) - cpu) / 1000 / (performance.now() - began)
      const wanted = isListening ? (sent * STREAMS) / SHARES : 0
      await Promise.all(creates)
      for (let left = PATIENCE_MS; told < wanted && left > 0; left -= 50)
        await new Promise((resolve) => setTimeout(resolve, 50))
      return { sent, share, cpuUs: cpuOf(server.pid) - cpu }
    }
    await measured(true)
    waits.length = answers.length = told = 0
    const { sent, share, cpuUs } = await measured(true)
    const expected = (sent * STREAMS) / SHARES
    const at = (all: readonly number[], part: number) =>
      (all.toSorted((a, b) => a - b)[Math.floor(all.length * part)] ?? 0).toFixed(0)
    const told99 = `p50 ${at(waits, 0.5)} ms, p99 ${at(waits, 0.99)} ms (goal 250)`
    const answered = `p50 ${at(answers, 0.5)} ms, p99 ${at(answers, 0.99)} ms`
    for (const { end } of streams) end()
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const alone = await measured(false)
    console.log(`streams: ${STREAMS} of them, ${EVENTS_A_SECOND} events a second, a tenth for each
  told ${told} of ${expected}, ${told99} after the write; the writes themselves were answered after ${answered}
  the server takes ${(share * 100).toFixed(0)} % of a core (goal 60), ${(alone.share * 100).toFixed(0)} % for the writes alone; processor ${((cpuUs - alone.cpuUs) / told).toFixed(0)} µs for each that is told
  ${collected} KB a stream (goal 30), ${resident} KB with what is not collected yet`)
  } finally {
    server.kill('SIGKILL')
    await databases.close()
    folder.remove()
  }
}

type Send = (method: string, path: string, body: object) => Promise<{ readonly id: string }>

/** A token of an account that may list one of the resources. */
async function readerOf(at: number, send: Send, ask: Parameters<typeof signIn>[0]): Promise<string> {
  const [username, password] = [`reader${at}`, 'Correct-horse-7']
  await send('POST', '/api/v1/admin/roles', { name: username, description: username })
  await send('POST', '/api/v1/auth/register', { username, email: `${username}@example.org`, password })
  await send('POST', `/api/v1/admin/users/${username}/verify`, {})
  await send('PUT', `/api/v1/admin/users/${username}/roles`, { roles: [username] })
  const { body } = await ask('POST', '/api/v1/auth/login', { body: { username, password } })
  return body.data.access_token
}

/** A stream whose events are told by when they were written, in milliseconds since 1970. */
function listen(url: string, token: string, told: (writtenAt: number) => void) {
  let begun: () => void = () => undefined
  const ready = new Promise<void>((resolve) => (begun = resolve))
  const asked = request(
    url,
    { agent: false, headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` } },
    (response) => {
      let rest = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        begun()
        const blocks = (rest + chunk).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) {
          const [, writtenAt] = /"at":"([^"]+)"/.exec(block) ?? []
          if (writtenAt !== undefined) told(Date.parse(writtenAt))
        }
      })
    },
  )
  asked.on('error', () => undefined)
  asked.end()
  return { ready, end: () => void asked.destroy() }
}
