import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { type Config, createKernel, SYSTEM } from '@svc/kernel'
import { standardPlugins } from '@svc/server'
import type { TestFolder } from '../kit/server-process.ts'
import { OPEN_DATABASES } from './contest.ts'
import type { StoreName } from './store-name.ts'

const RECORDS = 100_000
const PAGE = 50
const ROUNDS = 400
/** What may be spent on a value either way, on a page of 50 records with three encrypted values each, and on encrypting a field. */
const GOAL = { valueUs: 10, pageMs: 1.5, fieldS: 15 }

const VARIABLE = 'SVC_DOMAIN_BENCH_KEYS'

const definition = (version: string, isEncrypted: boolean) => {
  const flag = (on: boolean) => (on ? ', privacy: { encrypted: true }' : '')
  const object = (on: boolean, code: boolean) => `
        name: string
        email: { type: email${flag(on)} }
        phone: { type: phone${flag(on)} }
        note: { type: text${flag(on)} }
        code: { type: string${flag(code)} }
        blind: { type: string${on ? ', unique: true, privacy: { encrypted: true }' : ''} }`
  return `
domain:
  name: sealed
  version: '${version}'
  privacy: { encryption: { keyVariable: ${VARIABLE} } }
  resources:
    Plain:
      object:${object(false, isEncrypted)}
      permissions: { list: ['*'], create: ['*'] }
    Sealed:
      object:${object(true, true)}
      permissions: { list: ['*'], create: ['*'] }
`
}

/** Measures what encryption costs: a value, a page of a list, and a field of many records that becomes encrypted. */
export async function measureEncryption(folder: TestFolder, store: StoreName): Promise<void> {
  process.env[VARIABLE] = `bench:${randomBytes(32).toString('base64')}`
  const databases = await OPEN_DATABASES[store](folder)
  const config: Config = {
    ...databases.config,
    rest: { port: 0 },
    auth: { jwt: { secret: randomBytes(32).toString('hex') } },
    domain: { bulk_limit: 100_000 },
    management: { socket: false },
  }
  const kernel = createKernel({ config, plugins: standardPlugins(config) })
  await kernel.start()
  try {
    const run = kernel.callAs(SYSTEM) as (name: string, input: unknown) => Promise<any>
    const submit = (version: string, on: boolean) =>
      run('svc.domain.submit', { content: definition(version, on) })
    await submit('1', false)
    console.log(`encryption on ${store}`)
    await measureValues(run)
    await measureField(run, () => submit('2', true))
  } finally {
    await kernel.stop()
    await databases.close()
  }
}

type Run = (name: string, input: unknown) => Promise<any>

const item = (at: number) => ({
  name: `person ${at}`,
  email: `person-${at}@example.org`,
  phone: '+441234567890',
  note: 'A note of the length that such notes have in truth',
  code: `code ${at}`,
  blind: `blind ${at}`,
})

async function measureValues(run: Run): Promise<void> {
  const items = Array.from({ length: PAGE }, (_, at) => item(at))
  for (const resource of ['plain', 'sealed'])
    await run(`svc.sealed.${resource}.bulk-create`, { data: { items } })
  const page = async (resource: string) => {
    const began = performance.now()
    await run(`svc.sealed.${resource}.list`, {
      query: { limit: String(PAGE), fields: 'id,name,email,phone,note' },
    })
    return performance.now() - began
  }
  const costs: Record<string, number[]> = { plain: [], sealed: [] }
  for (let at = 0; at < ROUNDS; at += 1)
    for (const resource of ['plain', 'sealed']) costs[resource]!.push(await page(resource))
  const more = median(costs['sealed']!) - median(costs['plain']!)
  console.log(`  a page of ${PAGE} with three of them  ${more.toFixed(2)} ms more (goal ${GOAL.pageMs} ms)`)
  console.log(
    `  a value that is opened          ${((more * 1000) / (3 * PAGE)).toFixed(1)} µs (goal ${GOAL.valueUs} µs)`,
  )
}

async function measureField(run: Run, encrypt: () => Promise<unknown>): Promise<void> {
  const size = 5000
  for (let at = PAGE; at < RECORDS; at += size) {
    const items = Array.from({ length: Math.min(size, RECORDS - at) }, (_, more) => item(at + more))
    await run('svc.sealed.plain.bulk-create', { data: { items } })
  }
  const { totalCount } = await run('svc.sealed.plain.list', { query: { limit: '1' } })
  if (totalCount !== RECORDS) throw new Error(`there are ${totalCount} records`)
  const [began, before] = [performance.now(), process.cpuUsage()]
  await encrypt()
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(before)
  console.log(
    `  a field of ${RECORDS} records        ${seconds.toFixed(1)} s (goal ${GOAL.fieldS} s), ${((user + system) / 1e6).toFixed(1)} s of the service's processor`,
  )
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
