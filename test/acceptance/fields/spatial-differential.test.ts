import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom, type Random } from '../../kit/random.ts'
import { size } from '../../kit/size.ts'
import { SPATIAL_STORES } from '../../kit/spatial-stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

/** How many questions every store is asked. */
const QUESTIONS = size('GEO_RUNS', { smoke: 60, whole: 10_000 })
const ROWS = 300
const SEED = Number(process.env['GEO_SEED'] ?? 2512)

const DEFINITION = `
domain:
  name: twins
  version: '1'
  resources:
    Spot:
      object: { number: integer, place: geometry, plan: { type: geometry, srid: 3857 } }
      permissions: { list: ['*'], create: ['*'] }
`
const SPOTS = '/api/v1/twins/spots'

/** Positions on a coarse grid: what is equal, touches and crosses happens often. */
const position = (random: Random): number[] =>
  [random.int(9), random.int(9)].map((one) => (random.chance(0.1) ? one + 0.5 : one))
const positions = (random: Random, least: number) =>
  Array.from({ length: least + random.int(4) }, () => position(random))
const several = <T>(random: Random, one: (random: Random) => T) =>
  Array.from({ length: 1 + random.int(3) }, () => one(random))

function box(random: Random): number[][] {
  const [west = 0, south = 0] = position(random)
  const [east, north] = [west + 1 + random.int(5), south + 1 + random.int(5)]
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
}
/** Any ring; most of them cross themselves. */
function ring(random: Random): number[][] {
  if (random.chance(0.5)) return box(random)
  const open = positions(random, 3)
  return [...open, open[0]!]
}
const polygon = (random: Random) => [ring(random), ...(random.chance(0.3) ? [ring(random)] : [])]

/** Valid as they are: where they touch is told exactly. */
const VALID: readonly ((random: Random) => object)[] = [
  (random) => ({ type: 'Point', coordinates: position(random) }),
  (random) => ({ type: 'MultiPoint', coordinates: several(random, position) }),
  (random) => ({ type: 'LineString', coordinates: positions(random, 2) }),
  (random) => ({ type: 'MultiLineString', coordinates: several(random, (one) => positions(one, 2)) }),
  (random) => ({ type: 'Polygon', coordinates: [box(random)] }),
  (random) => {
    const [west = 0, south = 0] = position(random)
    return {
      type: 'Polygon',
      coordinates: [
        [
          [west, south],
          [west + 4, south + 1],
          [west + 1, south + 4],
          [west, south],
        ],
      ],
    }
  },
]
const WILD: readonly ((random: Random) => object)[] = [
  ...VALID,
  (random) => ({ type: 'Polygon', coordinates: polygon(random) }),
  (random) => ({ type: 'MultiPolygon', coordinates: several(random, polygon) }),
  (random) => ({
    type: 'GeometryCollection',
    geometries: several(random, (one) => one.pick(WILD.slice(0, -1))(one)),
  }),
]
const valid = (random: Random): object => random.pick(VALID)(random)
const wild = (random: Random): object => random.pick(WILD)(random)

/** The same off the grid: what lies exactly on an edge that was cut at a crossing is decided by how that was rounded. */
const SHIFT = [181 / 1024, 221 / 1024] as const
const shifted = (value: unknown): unknown => {
  if (!Array.isArray(value))
    return Object.fromEntries(
      Object.entries(Object(value)).map(([name, one]) => [
        name,
        typeof one === 'string' ? one : shifted(one),
      ]),
    )
  if (typeof value[0] === 'number') return value.map((number: number, at) => number + SHIFT[at]!)
  return value.map(shifted)
}

function question(random: Random): string {
  const field = random.pick(['place', 'plan'])
  const by = random.pick(['bbox', 'intersects', 'within'])
  const [west = 0, south = 0] = position(random)
  const bounds = [west, south, west + random.int(6), south + random.int(6)]
  const isOnGrid = field === 'place'
  const value =
    by === 'bbox'
      ? bounds.map((number, at) => (isOnGrid ? number : number + SHIFT[at % 2]!)).join()
      : JSON.stringify(isOnGrid ? valid(random) : shifted(wild(random)))
  return `filter[${field}][${by}]=${encodeURIComponent(value)}&fields=number&limit=${ROWS}`
}

let servers: readonly TestKernel[] = []
const rows = (() => {
  const random = createRandom(SEED)
  return Array.from({ length: ROWS }, (_, number) => ({
    number,
    place: valid(random),
    plan: wild(random),
  }))
})()

beforeAll(async () => {
  servers = await Promise.all(
    SPATIAL_STORES.map((store) => startTestKernel({ store, config: store.config, definition: DEFINITION })),
  )
  for (const { request, admin } of servers)
    for (const row of rows)
      expect((await request('POST', SPOTS, { token: admin, body: row })).status).toBe(201)
})
afterAll(async () => {
  for (const { stop } of servers) await stop()
})

it('C4.9: every store gives the same answer to the same question', { timeout: 3_600_000 }, async () => {
  const random = createRandom(SEED + 1)
  const different: unknown[] = []
  for (let asked = 0; asked < QUESTIONS && different.length < 5; asked += 1) {
    const query = question(random)
    const answers = await Promise.all(
      servers.map(async ({ request, admin }) => {
        const { status, body } = await request('GET', `${SPOTS}?${query}`, { token: admin })
        return [
          status,
          body.data?.items
            .map((item: { number: number }) => item.number)
            .toSorted((a: number, b: number) => a - b),
        ]
      }),
    )
    const [first, ...others] = answers
    if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first))) {
      const sets = answers.map(([, numbers]) => new Set<number>(numbers ?? []))
      const unlike = rows.filter(({ number }) => sets.some((set) => set.has(number) !== sets[0]!.has(number)))
      different.push({
        query: decodeURIComponent(query),
        answers: answers.map(([status], at) => [status, unlike.map(({ number }) => sets[at]!.has(number))]),
        rows: unlike.slice(0, 2).map((row) => JSON.stringify(row)),
      })
    }
  }
  expect(different).toEqual([])
})
