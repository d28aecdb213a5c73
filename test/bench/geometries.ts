import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { Client } from 'pg'
import { startSpatialServer } from '../kit/postgis.ts'
import { createRandom } from '../kit/random.ts'
import {
  createAdmin,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import { at } from './files.ts'
import type { StoreName } from './store-name.ts'

const POINTS = 200_000
const POLYGONS = 10_000
const REQUESTS = 300
const WARM_UP = 50
const PORTION = 500
/** So many points lie in a box on average; a page has as many. */
const FOUND = 50

const definition = (version: string, more = '') => `
domain:
  name: atlas
  version: '${version}'
  resources:
    Spot:
      object: { name: string, place: { type: geometry, geometryType: Point }${more} }
      permissions: { list: ['*'], create: ['*'] }
    Area:
      object: { name: string, shape: { type: geometry, geometryType: Polygon }${more} }
      permissions: { list: ['*'], create: ['*'] }
`

type Position = readonly [number, number]

/** Measures how long geometries take to be found, over HTTP, with an index and without; prints it. */
export async function measureGeometries(folder: TestFolder, name: StoreName): Promise<void> {
  const spatial = name === 'postgres' ? await openPostgis() : undefined
  const config = folder.write(
    testConfig({
      ...(spatial
        ? spatial.config
        : { sqlite: { path: join(folder.path, 'atlas.db') }, geo: { embedded: true } }),
      rest: { port: 0, body_limit_bytes: 10 * 1024 ** 2 },
    }),
    'geometries.json',
  )
  const password = await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path })
  try {
    const token = await signIn(server.request, password)
    // A field that is added to a table that is there has no index on PostgreSQL.
    for (const content of [definition('1'), definition('2', ', later: geometry')]) {
      const { status } = await server.request('POST', '/api/v1/domains', { token, body: { content } })
      if (status !== 201) throw new Error(`the definition was not applied: ${status}`)
    }
    await fill(server)
    await spatial?.analyze()
    console.log(`geometries on ${name === 'sqlite' ? 'SQLite with geo.embedded' : 'PostGIS'}`)
    const random = createChance(7)
    const goal = name === 'sqlite' ? 15 : 5
    const side = Math.sqrt((FOUND / POINTS) * 360 * 180)
    const corner = (): Position => [random() * (360 - side) - 180, random() * (180 - side) - 90]
    const boxed = (field: string) => () => {
      const [west, south] = corner()
      return `/spots?filter[${field}][bbox]=${west},${south},${west + side},${south + side}&limit=${FOUND}`
    }
    await print(server, `bbox over ${POINTS} points`, goal, boxed('place'))
    const within = (field: string) => () => {
      const [x, y] = [random() * 300 - 150, random() * 130 - 65]
      const area = encodeURIComponent(
        JSON.stringify({ type: 'Polygon', coordinates: [circle(x, y, 10, 32)] }),
      )
      return `/areas?filter[${field}][within]=${area}&limit=${FOUND}`
    }
    await print(server, `within over ${POLYGONS} polygons`, 20, within('shape'))
    await print(server, 'the same bbox by the field added later', undefined, boxed('later'), 20)
    await print(server, 'the same within by the field added later', undefined, within('later'), 20)
  } finally {
    await server.stop()
    await spatial?.close()
  }
}

/** A database of its own with PostGIS. */
async function openPostgis() {
  const { url, stop } = await startSpatialServer()
  const run = async (address: string, statement: string) => {
    const client = new Client(address)
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
  const database = `bench_${Date.now()}`
  await run(url, `create database ${database} template template0`)
  const own = new URL(url)
  own.pathname = `/${database}`
  await run(own.href, 'create extension postgis')
  return {
    config: { postgres: { conninfo: own.href } },
    analyze: () => run(own.href, 'vacuum analyze'),
    async close() {
      await run(url, `drop database ${database} with (force)`)
      await stop()
    },
  }
}

async function fill({ request }: ServerProcess): Promise<void> {
  const random = createChance(11)
  const put = async (path: string, count: number, make: (name: string) => object) => {
    for (let done = 0; done < count; done += PORTION) {
      const items = Array.from({ length: PORTION }, (_, one) => make(`${path} ${done + one}`))
      const { status, body } = await request('POST', `/api/v1/atlas/${path}/bulk`, { body: { items } })
      if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
    }
  }
  await put('spots', POINTS, (name) => {
    const place = { type: 'Point', coordinates: [random() * 360 - 180, random() * 180 - 90] }
    return { name, place, later: place }
  })
  await put('areas', POLYGONS, (name) => {
    const [x, y] = [random() * 358 - 179, random() * 178 - 89]
    const shape = { type: 'Polygon', coordinates: [circle(x, y, 0.5, 12)] }
    return { name, shape, later: shape }
  })
}

const circle = (x: number, y: number, radius: number, corners: number): readonly Position[] =>
  Array.from({ length: corners + 1 }, (_, at): Position => {
    const angle = (2 * Math.PI * (at % corners)) / corners
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
  })

/** Numbers from 0 to 1, the same in each run. */
function createChance(seed: number): () => number {
  const random = createRandom(seed)
  return () => random.int(2 ** 30) / 2 ** 30
}

async function print(
  { url }: ServerProcess,
  what: string,
  goalMs: number | undefined,
  next: () => string,
  requests = REQUESTS,
): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const base = `${url}/api/v1/atlas`
  const times: number[] = []
  let found = 0
  for (let round = goalMs === undefined ? -2 : -WARM_UP; round < requests; round += 1) {
    const began = performance.now()
    const [response] = (await once(get(base + next(), { agent }), 'response')) as [IncomingMessage]
    const body = await text(response)
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${body}`)
    if (round < 0) continue
    times.push(performance.now() - began)
    found += (JSON.parse(body) as { data: { items: readonly unknown[] } }).data.items.length
  }
  agent.destroy()
  const goal = goalMs === undefined ? '' : ` (goal ${goalMs})`
  console.log(
    `  ${what.padEnd(42)} p50 ${at(times, 0.5).toFixed(1)} ms${goal}, p99 ${at(times, 0.99).toFixed(1)} ms, ${(found / requests).toFixed(0)} found each`,
  )
}
