// npm run bench -- [--store sqlite|postgres] [--quick] [--rounds <n>] [--seconds <n> | --requests <n>] [--only get,list] [--verify]
//   [--profile <scenario>]
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createFolder } from '../kit/server-process.ts'
import { type Article, makeArticles } from './article.ts'
import { assertEqualAnswers, type Contest, type Contestant, OPEN_DATABASES, startContest } from './contest.ts'
import { measureBrokers } from './brokers.ts'
import { measureDefinitions } from './definitions.ts'
import { measureDocuments } from './documents.ts'
import { measureEncryption } from './encryption.ts'
import { measureEvents } from './events.ts'
import { measureFiles } from './files.ts'
import { measureFirings } from './firings.ts'
import { measureGeometries } from './geometries.ts'
import { measureInsight } from './insight.ts'
import type { Job, Seen } from './load.ts'
import { measureLogins } from './logins.ts'
import { measureIntegrations } from './integrations.ts'
import { measureGenerating } from './generating.ts'
import { measureMedia } from './media.ts'
import { measureMessages } from './messages.ts'
import { printProfile } from './profile.ts'
import { residentMib } from './resident.ts'
import { measureRules } from './rules.ts'
import { makeScenarios, type Scenario } from './scenarios.ts'
import { measureServing } from './serving.ts'
import { measurePrivacy, PRIVACY_PARTS } from './privacy.ts'
import { measureSheet, SHEET_PARTS } from './sheet.ts'
import { measureSteps } from './steps.ts'
import { parseStoreName } from './store-name.ts'
import { measureStreams } from './streams.ts'
import { measureSvg } from './svg.ts'
import { measureUnreachable } from './unreachable.ts'
import { measureWalks } from './walks.ts'

const CONNECTIONS = 50
const ROWS = 100_000
/** The unit of processor times in Linux's /proc, in microseconds. */
const TICK_US = 10_000
const LOAD = fileURLToPath(new URL('./load.ts', import.meta.url))

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    // Rounds of so many requests: on a machine that others use too, the processor time of each is what counts then.
    requests: { type: 'string' },
    only: { type: 'string' },
    profile: { type: 'string' },
    // Lets the other side verify the token of every request, as svc does once for each token.
    verify: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5))
const seconds = Number(values.seconds ?? (values.quick ? 1 : 4))
const amount = values.requests === undefined ? undefined : Number(values.requests)
const store = parseStoreName(values.store)
const only = (values.profile ?? values.only)?.split(',')
const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0

const folder = createFolder()
const profiling = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder.path}`]
const isWanted = (name: string): boolean => only?.includes(name) ?? true
/** The measurements of svc alone are on SQLite, whatever the servers are compared on. */
const isWantedAlone = (name: string): boolean => only?.includes(name) ?? store === 'sqlite'
let contest: Contest | undefined
try {
  const articles = makeArticles(ROWS)
  const scenarios = makeScenarios(articles).filter(({ name }) => isWanted(name))
  if (scenarios.length > 0) await compare(articles, scenarios)
  if (isWanted('messages')) await measureMessages(folder, OPEN_DATABASES[store])
  if (isWanted('rules')) await measureRules(store)
  if (isWanted('events')) await measureEvents(store)
  if (isWanted('firings')) await measureFirings(folder, OPEN_DATABASES[store], profiling)
  if (isWanted('serving')) await measureServing(folder, OPEN_DATABASES[store], profiling)
  if (isWanted('files')) await measureFiles(OPEN_DATABASES[store])
  if (isWanted('media')) await measureMedia(folder, OPEN_DATABASES[store], profiling)
  if (isWanted('integrations')) await measureIntegrations(folder, OPEN_DATABASES[store])
  if (isWanted('brokers')) await measureBrokers(OPEN_DATABASES[store])
  if (isWanted('streams')) await measureStreams(OPEN_DATABASES[store])
  if (isWanted('unreachable')) await measureUnreachable(OPEN_DATABASES[store])
  if (isWanted('generating')) await measureGenerating(folder, OPEN_DATABASES[store])
  if (isWanted('encryption')) await measureEncryption(folder, store)
  if (isWanted('insight')) await measureInsight(folder, store)
  if (isWantedAlone('definitions')) await measureDefinitions(folder, profiling)
  if (isWantedAlone('logins')) await measureLogins(folder)
  if (isWanted('steps')) await measureSteps(folder, OPEN_DATABASES[store])
  const privacy = PRIVACY_PARTS.filter((part) => isWanted('privacy') || isWanted(part))
  if (privacy.length > 0) await measurePrivacy(folder, OPEN_DATABASES[store], privacy, profiling)
  const sheet = SHEET_PARTS.filter((part) => isWanted('sheet') || isWanted(part))
  if (sheet.length > 0) await measureSheet(folder, OPEN_DATABASES[store], sheet, profiling)
  if (isWanted('geometries')) await measureGeometries(folder, store)
  if (isWantedAlone('svg')) measureSvg()
  if (isWantedAlone('documents')) await measureDocuments()
  if (isWantedAlone('walks')) await measureWalks(folder, articles)
  if (values.profile !== undefined) printProfile(folder.path)
} finally {
  await stop()
  folder.remove()
}

/** Runs the scenarios against both servers. */
async function compare(articles: readonly Article[], scenarios: readonly Scenario[]): Promise<void> {
  contest = await startContest(folder, articles, { node: profiling, isVerifying: values.verify, store })
  await assertEqualAnswers(contest, scenarios)
  for (const { pid } of contest.contestants) pin(pid, 0)
  console.log(
    `${ROWS} rows, ${CONNECTIONS} connections, ${rounds} rounds of ${amount === undefined ? `${seconds} s` : `${amount} requests`}, Node ${process.version}`,
  )
  for (const remark of contest.remarks) console.log(remark)
  for (const scenario of scenarios) await measure(contest, scenario)
  const weights = contest.contestants.map(({ name, pid }) => `${name} ${residentMib(pid).toFixed(0)} MiB`)
  console.log(`memory      ${weights.join(', ')}`)
  await stop()
}

async function stop(): Promise<void> {
  await contest?.stop()
  contest = undefined
}

/** What one round showed; `cpu` is the server's own time for each request, in microseconds, where it can be read. */
interface Round extends Seen {
  readonly cpu: number | undefined
}

/** Runs the rounds of one scenario, the two servers in turn, and prints the medians. */
async function measure({ contestants, token }: Contest, scenario: Scenario): Promise<void> {
  const seen = new Map<Contestant, Round[]>(contestants.map((one) => [one, []]))
  for (const one of contestants) await load(one, token, scenario, seconds / 2)
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed()
    for (const one of order) seen.get(one)!.push(await load(one, token, scenario, seconds))
  }
  const [ours, theirs] = contestants.map((one) => medians(seen.get(one)!))
  const saved = ours!.cpu && theirs!.cpu ? `, processor ${(theirs!.cpu / ours!.cpu).toFixed(2)}` : ''
  const ratio = theirs!.perSecond === 0 ? 'not finished' : (ours!.perSecond / theirs!.perSecond).toFixed(2)
  console.log(
    `${scenario.name.padEnd(11)} ${ratio} of by hand${saved}${values.verify ? ', every token verified' : ''}`,
  )
  console.log(`  svc      ${line(ours!)}\n  by hand  ${line(theirs!)}`)
}

async function load(one: Contestant, token: string, scenario: Scenario, seconds: number): Promise<Round> {
  const { status, requests } = scenario
  const job: Job = { url: one.url, token, status, seconds, connections: CONNECTIONS, requests, amount }
  const before = cpuOf(one.pid)
  const child = spawn(process.execPath, [...process.execArgv, LOAD], { stdio: ['pipe', 'pipe', 'inherit'] })
  pin(child.pid!, 1)
  child.stdin.end(JSON.stringify(job))
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
  const seen = JSON.parse(output) as Seen
  const after = cpuOf(one.pid)
  const isKnown = before !== undefined && after !== undefined && seen.answers > 0
  return { ...seen, cpu: isKnown ? (after - before) / seen.answers : undefined }
}

/** The processor time that a process has used, in microseconds; undefined where the system does not tell. */
function cpuOf(pid: number): number | undefined {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? ''
    const [user, system] = afterName.split(' ').slice(11, 13).map(Number)
    return (user! + system!) * TICK_US
  } catch {
    return undefined
  }
}

/** Keeps a process, with all its threads, on one core: the two sides of the wire do not disturb each other. */
function pin(pid: number, core: number): void {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)])
}

function medians(all: readonly Round[]): Round {
  const median = (pick: (round: Round) => number) =>
    all.map(pick).toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!
  return {
    perSecond: median(({ perSecond }) => perSecond),
    answers: median(({ answers }) => answers),
    p50: median(({ p50 }) => p50),
    p99: median(({ p99 }) => p99),
    wrong: median(({ wrong }) => wrong),
    busy: median(({ busy }) => busy),
    cpu: all[0]?.cpu === undefined ? undefined : median(({ cpu }) => cpu ?? 0),
  }
}

function line({ perSecond, p50, p99, wrong, busy, cpu }: Round): string {
  const rate = `${Math.round(perSecond)}/s`.padStart(8)
  const own = cpu === undefined ? '' : `  cpu ${Math.round(cpu)} µs`
  const warning = wrong > 0 ? `, ${wrong} WRONG` : busy > 0.95 ? ', the load generator was the limit' : ''
  return `${rate}  p50 ${p50} ms  p99 ${p99} ms${own}${warning}`
}
