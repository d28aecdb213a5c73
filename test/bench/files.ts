import { once } from 'node:events'
import { get, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { bucketConfig, startBucket } from '../acceptance/files/places.ts'
import {
  createAdmin,
  createFolder,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import type { Databases } from './databases.ts'
import { cpuOf } from './processor.ts'
import { residentMib } from './resident.ts'

const MIB = 1024 ** 2
const UPLOAD_MIB = 200
const AT_ONCE = 10
const LARGE_MIB = 1024
const RANGES = 200
const SLOW_SECONDS = 20

const DEFINITION = `
domain:
  name: shop
  version: '1'
  resources:
    Order: { object: { title: string }, permissions: { create: ['*'], get: ['*'] } }
`

/** A server with files, and who uploads them. */
export interface Bench {
  readonly server: ServerProcess
  readonly token: string
}

/** Measures what files cost in memory and time, in a folder and in a bucket on this machine; prints it. */
export async function measureFiles(open: OpenDatabases): Promise<void> {
  await measurePlace(open, 'disk', (folder) => ({ root: join(folder.path, 'files') }))
  const folder = createFolder()
  const bucket = await startBucket(folder.path)
  try {
    await measurePlace(open, 's3', () => ({ s3: bucketConfig(bucket.port) }))
  } finally {
    await bucket.stop()
    folder.remove()
  }
}

type OpenDatabases = (folder: TestFolder) => Promise<Databases>

async function measurePlace(
  open: OpenDatabases,
  name: 'disk' | 's3',
  place: (folder: TestFolder) => object,
): Promise<void> {
  const folder = createFolder()
  const databases = await open(folder)
  const config = folder.write(
    testConfig({
      ...databases.config,
      rest: { port: 0, request_timeout_ms: 600_000 },
      files: { ...place(folder), max_file_size: '2gb' },
    }),
    `files-${name}.json`,
  )
  const password = await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path })
  try {
    const token = await signIn(server.request, password)
    const bench = { server, token }
    console.log(`files on ${name}`)
    await measureUploads(bench)
    await measureLarge(bench)
    console.log(`  memory after all that  ${residentMib(server.pid).toFixed(0)} MiB`)
  } finally {
    await server.stop()
    await databases.close()
    folder.remove()
  }
}

async function measureUploads(bench: Bench): Promise<void> {
  const { server, token } = bench
  const submitted = await server.request('POST', '/api/v1/domains', { token, body: { content: DEFINITION } })
  if (submitted.status !== 201) throw new Error(`the definition was not applied: ${submitted.status}`)
  const order = await server.request('POST', '/api/v1/shop/orders', { body: { title: 'one' } })
  const path = `/api/v1/shop/orders/${order.body.data.id}`
  await Promise.all(Array.from({ length: AT_ONCE }, () => upload(bench, MIB)))
  const quiet = await readsBeside(server, path, delay(5000))

  const [one] = await growth(server, () => upload(bench, UPLOAD_MIB * MIB))
  console.log(`  upload of ${UPLOAD_MIB} MB        ${one.toFixed(0)} MiB more (goal 50)`)
  let busy: number[] = []
  const [ten, , ms] = await growth(server, async () => {
    const uploads = Promise.all(Array.from({ length: AT_ONCE }, () => upload(bench, UPLOAD_MIB * MIB)))
    busy = await readsBeside(server, path, uploads)
    await uploads
  })
  console.log(
    `  ${AT_ONCE} of them at once       ${ten.toFixed(0)} MiB more (goal 120), ${((AT_ONCE * UPLOAD_MIB) / (ms / 1000)).toFixed(0)} MB/s`,
  )
  console.log(
    `  a read beside them     p99 ${at(busy, 0.99).toFixed(1)} ms, quiet ${at(quiet, 0.99).toFixed(1)} ms (goal: less than twice)`,
  )
}

async function measureLarge(bench: Bench): Promise<void> {
  const { server } = bench
  const path = await upload(bench, LARGE_MIB * MIB)
  const [slow, read] = await growth(server, async () => {
    const sizes = await Promise.all(Array.from({ length: AT_ONCE }, () => readSlowly(server, path)))
    return sizes.reduce((sum, size) => sum + size, 0)
  })
  console.log(
    `  ${AT_ONCE} downloads at 1 MB/s   ${slow.toFixed(0)} MiB more (goal 120), ${(read / MIB / AT_ONCE / SLOW_SECONDS).toFixed(2)} MB/s each`,
  )
  const times: number[] = []
  const before = cpuOf(server.pid)
  for (let round = 0; round < RANGES; round += 1) {
    const from = Math.floor(Math.random() * (LARGE_MIB - 1) * MIB)
    const began = performance.now()
    const response = await ask(server, path, { range: `bytes=${from}-${from + MIB - 1}` })
    let size = 0
    for await (const chunk of response) size += (chunk as Buffer).length
    if (response.statusCode !== 206 || size !== MIB) throw new Error(`a range was answered by ${size} bytes`)
    times.push(performance.now() - began)
  }
  console.log(
    `  1 MB out of ${LARGE_MIB} MB      p50 ${at(times, 0.5).toFixed(1)} ms, p99 ${at(times, 0.99).toFixed(1)} ms (goal 5), ${((cpuOf(server.pid) - before) / RANGES / 1000).toFixed(1)} ms of the processor`,
  )
}

/** Uploads a film of so many bytes; answers its path. */
export async function upload({ server, token }: Bench, size: number): Promise<string> {
  const head = Buffer.from(
    '--XX\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n\0\0\0\x18ftypisom',
    'latin1',
  )
  const tail = Buffer.from('\r\n--XX--\r\n')
  const sending = request(`${server.url}/api/v1/files/upload`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=XX',
      'content-length': head.length + size + tail.length,
    },
  })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  sending.write(head)
  const chunk = Buffer.alloc(256 * 1024)
  for (let left = size; left > 0; left -= chunk.length)
    if (!sending.write(chunk.subarray(0, Math.min(left, chunk.length)))) await once(sending, 'drain')
  sending.end(tail)
  const [response] = await answered
  const body = await text(response)
  if (response.statusCode !== 201)
    throw new Error(`an upload was answered with ${response.statusCode}: ${body}`)
  return (JSON.parse(body) as { data: { path: string } }).data.path
}

async function ask(server: ServerProcess, path: string, headers = {}): Promise<IncomingMessage> {
  const [response] = (await once(get(`${server.url}${path}`, { headers, agent: false }), 'response')) as [
    IncomingMessage,
  ]
  return response
}

/** Reads a megabyte a second, and leaves after a while; answers how many bytes that were. */
async function readSlowly(server: ServerProcess, path: string): Promise<number> {
  const response = await ask(server, path)
  const began = performance.now()
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).length
    const ahead = (size / MIB) * 1000 - (performance.now() - began)
    if (ahead > 5) await delay(ahead)
    if (performance.now() - began > SLOW_SECONDS * 1000) break
  }
  response.destroy()
  return size
}

/** How much more memory a server takes at most while something is done, in MiB; what came of it, and how long it took. */
async function growth<T>({ pid }: ServerProcess, work: () => Promise<T>): Promise<[number, T, number]> {
  const before = residentMib(pid)
  let most = before
  const watching = setInterval(() => (most = Math.max(most, residentMib(pid))), 20)
  const began = performance.now()
  try {
    const result = await work()
    return [most - before, result, performance.now() - began]
  } finally {
    clearInterval(watching)
  }
}

/** Reads a record again and again until something else is done; answers how long each read took, in milliseconds. */
async function readsBeside(server: ServerProcess, path: string, until: Promise<unknown>): Promise<number[]> {
  let isOver = false
  const over = until.finally(() => (isOver = true))
  const times: number[] = []
  while (!isOver) {
    const began = performance.now()
    const { status } = await server.request('GET', path)
    if (status !== 200) throw new Error(`a read was answered with ${status}`)
    times.push(performance.now() - began)
    await delay(5)
  }
  await over
  return times
}

export const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
