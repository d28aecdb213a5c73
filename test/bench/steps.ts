import {
  createAdmin,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import type { Databases } from './databases.ts'

const FIRSTS = 200
const LONG = 200
const STEPS = 10
const RESTING = 1000
/** Records of one request. */
const BULK = 100
/** How long instances rest over a death, in seconds: long enough for all of them to come to rest before. */
const REST_S = 25

const step = '{ action: update, input: { count: $(count + 1) } }'

const DEFINITION = `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { kind: { type: string, index: true }, count: { type: integer, default: 0 } }
      permissions: { list: ['*'], create: ['*'] }
  workflows:
    first: { trigger: { resource: Order, event: create, condition: kind == 'first' }, steps: { only: ${step} } }
    long:
      trigger: { resource: Order, event: create, condition: kind == 'long' }
      steps: { ${Array.from({ length: STEPS }, (_, at) => `s${at}: ${step}`).join(', ')} }
    rest:
      trigger: { resource: Order, event: create, condition: kind == 'rest' }
      steps: { rest: { wait: { timeout: { duration: ${REST_S}s } } }, wake: ${step} }
`

/** A server, and who asks it. */
interface Shop extends Pick<ServerProcess, 'request'> {
  readonly token: string
}

type Open = (folder: TestFolder) => Promise<Databases>

/** Prints how soon a step follows a commit, how many steps are done in a second, and how instances come through a death. */
export async function measureSteps(folder: TestFolder, open: Open): Promise<void> {
  const databases = await open(folder)
  const config = folder.write(
    testConfig({
      ...databases.config,
      domain: { domain_file: folder.write(DEFINITION, 'steps.yaml') },
    }),
    'steps.json',
  )
  const password = await createAdmin(config)
  let server = await startServer(config, { cwd: folder.path })
  const token = await signIn(server.request, password)
  try {
    const shop = { request: server.request, token }
    await measureFirst(shop)
    await measureMany(shop)
    await add(shop, 'rest', RESTING)
    const since = performance.now()
    await settle(shop, 'waiting', 'rest', RESTING)
    server.kill('SIGKILL')
    await server.exited
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, (REST_S + 1) * 1000 - (performance.now() - since))),
    )
    server = await startServer(config, { cwd: folder.path })
    await measureWaking({ request: server.request, token })
  } finally {
    await server.stop()
    await databases.close()
  }
}

async function measureFirst(shop: Shop): Promise<void> {
  for (let at = 0; at < FIRSTS; at += 1) await add(shop, 'first', 1)
  await settle(shop, 'completed', 'first', FIRSTS)
  const pauses: number[] = []
  for (const { id } of await listed(shop, 'first', FIRSTS)) {
    const { startedAt, steps } = await get(shop, `/workflows/instances/${id}`)
    pauses.push(Date.parse(steps[0].startedAt) - Date.parse(startedAt))
  }
  pauses.sort((a, b) => a - b)
  const at = (part: number) => pauses[Math.floor(pauses.length * part)] ?? 0
  console.log(`steps       first step after its commit: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}

async function measureMany(shop: Shop): Promise<void> {
  const started = performance.now()
  await add(shop, 'long', LONG)
  await settle(shop, 'completed', 'long', LONG)
  const seconds = (performance.now() - started) / 1000
  console.log(
    `steps       ${LONG} instances of ${STEPS} steps in ${seconds.toFixed(1)} s: ${((LONG * STEPS) / seconds).toFixed(0)}/s`,
  )
}

async function measureWaking(shop: Shop): Promise<void> {
  const started = performance.now()
  const secondsSince = () => ((performance.now() - started) / 1000).toFixed(1)
  await settle(shop, 'completed', 'rest', 1)
  const first = secondsSince()
  await settle(shop, 'completed', 'rest', RESTING)
  const all = secondsSince()
  const { items } = await get(shop, '/orders?filter[kind]=rest&filter[count][ne]=1&limit=1')
  console.log(
    `steps       ${RESTING} at rest over a death: the first woke ${first} s after the start, all of them ${all} s, ${items.length} not just once`,
  )
}

/** Waits until so many instances of a workflow have a status. */
async function settle(shop: Shop, status: string, workflow: string, count: number): Promise<void> {
  for (;;) {
    const { counts } = await get(shop, `/workflows/${workflow}`)
    if (counts[status] >= count) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function listed(shop: Shop, workflow: string, count: number) {
  const { items } = await get(shop, `/workflows/instances?workflow=${workflow}&limit=${count}`)
  return items
}

async function add(shop: Shop, kind: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += BULK) {
    const items = Array.from({ length: Math.min(BULK, count - at) }, () => ({ kind }))
    const { status, body } = await shop.request('POST', '/api/v1/shop/orders/bulk', { body: { items } })
    if (status >= 300) throw new Error(JSON.stringify(body))
  }
}

async function get(shop: Shop, path: string) {
  const { status, body } = await shop.request('GET', `/api/v1/shop${path}`, { token: shop.token })
  if (status >= 300) throw new Error(JSON.stringify(body))
  return body.data
}
