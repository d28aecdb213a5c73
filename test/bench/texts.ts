import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { type Config, createKernel, type Kernel, SYSTEM } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { standardPlugins } from '@svc/server'
import type { TestFolder } from '../kit/server-process.ts'
import { OPEN_DATABASES } from './contest.ts'
import type { StoreName } from './store-name.ts'

const RESOURCES = 100
const FIELDS = 100
const TEXTS = RESOURCES * FIELDS
const ROUNDS = 7
const CALLS = 10_000
const BATCHES = 21
/** What may be spent: microseconds for what is said of each answer, milliseconds for a schema and an import. */
const GOALS = { toldUs: 2, schemaMs: 2, importMs: 1000 } as const

const fields = (count: number) =>
  Array.from({ length: count }, (_, at) => `f${at}: { type: string, label: Label ${at} }`).join(', ')
const definition = (name: string, count: number) => `
domain:
  name: ${name}
  version: '1'
  localization: { supportedLocales: [en, de, de-AT, cy], permissions: ['*'] }
  resources:
${Array.from({ length: RESOURCES }, (_, at) => `    R${at}: { object: { ${fields(count)} }, permissions: { list: ['*'] } }`).join('\n')}
`

/** Measures what the languages of a domain cost: what every answer says of its own, the schema, and an import. */
export async function measureTexts(folder: TestFolder, store: StoreName): Promise<void> {
  const databases = await OPEN_DATABASES[store](folder)
  const config: Config = {
    ...databases.config,
    rest: { port: 0 },
    rate_limit: { enabled: false },
    auth: { jwt: { secret: randomBytes(32).toString('hex') } },
    management: { socket: false },
  }
  const kernel = createKernel({ config, plugins: standardPlugins(config) })
  await kernel.start()
  try {
    const submit = (content: string) => kernel.callAs(SYSTEM)('svc.domain.submit', { content })
    await submit(definition('lean', 8))
    await submit(definition('texts', FIELDS))
    console.log(`languages on ${store}`)
    measureTold(kernel)
    await measureSchema(kernel)
    await measureImports(kernel)
  } finally {
    await kernel.stop()
    await databases.close()
  }
}

/** What an answer says of its language: by headers that were seen before, and by ones that were not. */
function measureTold(kernel: Kernel): void {
  const { tells } = kernel.actions.find('svc.lean.r0.list') ?? {}
  if (tells === undefined) throw new Error('no action tells its language')
  const timed = (header: (at: number) => string): number => {
    const asking = (at: number) => ({
      id: '1',
      transport: 'http',
      remote: '',
      params: {},
      query: {},
      meta: () => header(at),
      signal: undefined as never,
    })
    const batch = (): number => {
      const began = process.cpuUsage()
      for (let at = 0; at < CALLS; at += 1) tells(asking(at))
      const { user, system } = process.cpuUsage(began)
      return (user + system) / CALLS
    }
    // Of the processor's time: others may use it meanwhile.
    return Array.from({ length: BATCHES }, batch).toSorted((a, b) => a - b)[BATCHES >> 1] ?? 0
  }
  const known = ['de-AT, de;q=0.8, en;q=0.5', 'cy', 'fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7', '*', '']
  tell(
    'negotiation and _meta',
    timed((at) => known[at % known.length]!),
    'us',
    GOALS.toldUs,
  )
  const fresh = timed((at) => `de-AT, x${(at % 90_000) + 10_000};q=0.8, en;q=0.5`)
  console.log(`  by a header never seen before   ${fresh.toFixed(2)} us`)
}

async function measureSchema(kernel: Kernel): Promise<void> {
  const http = kernel.get(HttpServerCapability)
  const read = async () => {
    const headers = { 'accept-language': 'de' }
    const answer = await http.fetch(
      new Request(new URL('/api/v1/domains/lean/schema', http.url()), { headers }),
    )
    if (!answer.ok) throw new Error(await answer.text())
    return answer.arrayBuffer()
  }
  const { byteLength } = await read()
  const run = kernel.callAs(SYSTEM)
  const made = await median(51, () => run('svc.domain.schema', { name: 'lean' }))
  tell(`schema of ${RESOURCES} resources, made`, made, 'ms', GOALS.schemaMs)
  const sent = await median(51, read)
  console.log(`  the same as ${Math.round(byteLength / 1024)} KiB of JSON       ${sent.toFixed(2)} ms`)
}

async function measureImports(kernel: Kernel): Promise<void> {
  const forms = { yaml: yamlOf, csv: csvOf, 'xliff 1.2': xliffOf }
  for (const [form, write] of Object.entries(forms)) {
    let round = 0
    const once = async () => {
      round += 1
      await send(kernel, write(`Wort ${form} ${round}`))
    }
    await once()
    const began = process.cpuUsage()
    tell(`import of ${TEXTS} texts, ${form}`, await median(ROUNDS, once), 'ms', GOALS.importMs)
    const { user, system } = process.cpuUsage(began)
    console.log(`  of the processor's time         ${((user + system) / 1000 / ROUNDS).toFixed(0)} ms each`)
  }
}

const keys = Array.from({ length: TEXTS }, (_, at) => [Math.floor(at / FIELDS), at % FIELDS] as const)
const yamlOf = (word: string) =>
  `locale: de\nresources:\n${Array.from(
    { length: RESOURCES },
    (_, at) =>
      `  R${at}:\n    fields:\n${Array.from({ length: FIELDS }, (__, one) => `      f${one}: { label: "${word} ${one}" }\n`).join('')}`,
  ).join('')}`
const csvOf = (word: string) =>
  `key,context,en,de\r\n${keys.map(([at, one]) => `resources.R${at}.fields.f${one}.label,Label,Label ${one},${word} ${one}\r\n`).join('')}`
const xliffOf = (word: string) =>
  `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="texts" source-language="en" target-language="de" datatype="plaintext"><body>${keys
    .map(
      ([at, one]) =>
        `<trans-unit id="resources.R${at}.fields.f${one}.label"><source>Label ${one}</source><target>${word} ${one}</target></trans-unit>\n`,
    )
    .join('')}</body></file></xliff>`

async function send(kernel: Kernel, text: string): Promise<void> {
  const http = kernel.get(HttpServerCapability)
  const body = new FormData()
  body.append('file', new Blob([text]), 'texts')
  const url = new URL('/api/v1/texts/localization/import', http.url())
  const answer = await http.fetch(new Request(url, { method: 'POST', body }))
  const told: any = await answer.json()
  if (told.data?.imported !== TEXTS) throw new Error(JSON.stringify(told).slice(0, 500))
}

function tell(what: string, found: number, unit: string, goal: number): void {
  console.log(`  ${what.padEnd(30)}  ${found.toFixed(2)} ${unit} (goal ${goal} ${unit})`)
}

async function median(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
}
