import {
  createAdmin,
  createFolder,
  type ServerProcess,
  signIn,
  startServer,
  testConfig,
} from '../kit/server-process.ts'
import { OPEN_DATABASES } from './contest.ts'
import { cpuOf } from './processor.ts'
import type { StoreName } from './store-name.ts'

const ROUNDS = 12
const REQUESTS = 2000
const CONNECTIONS = 20
/** What rules that are asked may add to a create. */
const GOAL_PERCENT = 15

const ASKED = 10
const OTHERS = 40

const resource = (name: string) => `
    ${name}:
      object:
        title: { type: string, required: true, maxLength: 200 }
        body: { type: text, required: true }
        status: { type: string, enum: [draft, published, archived], default: draft }
        author: { type: string, required: true, maxLength: 80 }
        views: { type: integer, min: 0, default: 0 }
        price: { type: decimal, min: 0 }
        createdAt: { type: datetime, autoNow: create }
        updatedAt: { type: datetime, autoNow: update }
      permissions: { list: [authenticated], get: [authenticated], create: [authenticated], update: [authenticated] }`

/** Conditions as people write them; none is met by what is sent. */
const CONDITIONS = [
  'views > 1000000',
  "status == 'published' and price == null",
  "title contains 'forbidden'",
  'length(author) > 70 and views > 10',
  "author in ['nobody', 'anybody']",
]
const ACTIONS = ['reject', 'warn', 'log']

const rules = (name: string, on: string, count: number) =>
  Array.from(
    { length: count },
    (_, at) => `
    ${name}_${on}_${at}:
      trigger: { resource: ${name}, on: ${on} }
      condition: "${CONDITIONS[at % CONDITIONS.length]}"
      action: ${ACTIONS[at % ACTIONS.length]}
      message: 'Rule {title}'`,
  ).join('')

/** One resource without rules, one with ten that are asked among fifty, one with fifty of which none is concerned, and another without. */
const DEFINITION = `
domain:
  name: ruled
  version: '1.0.0'
  resources:${['Plain', 'Asked', 'Unconcerned', 'Control'].map(resource).join('')}
  rules:${rules('Asked', 'create', ASKED)}${rules('Asked', 'update', OTHERS)}${rules('Unconcerned', 'update', ASKED + OTHERS)}
`
const PATHS = ['plains', 'askeds', 'unconcerneds', 'controls'] as const
type Path = (typeof PATHS)[number]

/** Measures what rules add to a create, in the server's own processor time; prints it. */
export async function measureRules(store: StoreName): Promise<void> {
  const folder = createFolder()
  const databases = await OPEN_DATABASES[store](folder)
  const config = folder.write(
    testConfig({ ...databases.config, rate_limit: { enabled: false } }),
    'rules.json',
  )
  const password = await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path })
  try {
    const token = await signIn(server.request, password)
    const body = { content: DEFINITION }
    const { status } = await server.request('POST', '/api/v1/domains', { token, body })
    if (status !== 201) throw new Error(`the definition was not applied: ${status}`)
    for (const path of PATHS) await round(server, token, path)
    const seen: Record<Path, number[]> = { plains: [], askeds: [], unconcerneds: [], controls: [] }
    for (let at = 0; at < ROUNDS; at += 1)
      for (const path of turned(at)) seen[path].push(await round(server, token, path))
    const more = (path: Path) =>
      median(seen[path].map((cost, at) => (cost / seen.plains[at]! - 1) * 100)).toFixed(1)
    console.log(`rules over ${ROUNDS} rounds of ${REQUESTS} creates`)
    console.log(`  without       ${Math.round(median(seen.plains))} µs of processor time for each create`)
    console.log(`  10 asked      ${more('askeds')} % more (goal ${GOAL_PERCENT} %)`)
    console.log(`  none asked    ${more('unconcerneds')} % more (goal: not to be measured)`)
    console.log(`  without again ${more('controls')} % more: what equal work differs by here`)
  } finally {
    await server.stop()
    await databases.close()
    folder.remove()
  }
}

/** Each goes first as often as any other: whatever a round leaves behind meets them all. */
const turned = (at: number): readonly Path[] => PATHS.map((_, place) => PATHS[(place + at) % PATHS.length]!)

/** Sends a round of creates; answers the processor time of each, in microseconds. */
async function round({ request, pid }: ServerProcess, token: string, path: Path): Promise<number> {
  let left = REQUESTS
  const before = cpuOf(pid)
  const send = async () => {
    while (left > 0) {
      left -= 1
      const body = {
        title: `Title ${left}`,
        body: 'A text of some length',
        author: 'Ann',
        views: left,
        price: 3,
      }
      const { status } = await request('POST', `/api/v1/ruled/${path}`, { token, body })
      if (status !== 201) throw new Error(`a create was answered with ${status}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  return (cpuOf(pid) - before) / REQUESTS
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!
