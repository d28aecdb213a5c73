import { execFileSync } from 'node:child_process'
import { createAdmin, signIn, startServer, type TestFolder, testConfig } from '../kit/server-process.ts'
import type { Databases } from './databases.ts'
import { residentMib } from './resident.ts'

const DOCUMENTS = 1000
const AT_ONCE = 2
const LOOK_MS = 20
/** What a thousand documents may leave behind, in MiB, and how long `/health` may take meanwhile, in milliseconds. */
const GOAL_MIB = 150
const GOAL_MS = 50

const SENTENCE = 'The quick brown fox jumps over the lazy dog, and Łódź lies east of it. '

const DEFINITION = `
domain:
  name: desk
  version: '1'
  resources:
    Order: { object: { number: string, text: text } }
  templates:
    prose:
      format: pdf
      data: { order: { record: Order } }
      body: |
        # Order {number}

        {text}
    word: { format: docx, data: { order: { record: Order } }, body: '{text}' }
    page: { format: html, data: { order: { record: Order } }, body: '{text}' }
  documentStorage: { path: papers }
`

/** Generates a thousand documents, and prints what memory they leave behind and how long others wait meanwhile. */
export async function measureGenerating(
  folder: TestFolder,
  open: (folder: TestFolder) => Promise<Databases>,
): Promise<void> {
  const databases = await open(folder)
  const sections = {
    ...databases.config,
    files: { root: `${folder.path}/generated` },
    management: { socket: false },
  }
  const config = folder.write(testConfig(sections), 'generating.json')
  const password = await createAdmin(config)
  const server = await startServer(config)
  try {
    const token = await signIn(server.request, password)
    const send = async (path: string, body: unknown): Promise<any> => {
      const answer = await server.request('POST', path, { token, body })
      if (answer.status >= 300)
        throw new Error(`${path} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer.body.data
    }
    await send('/api/v1/domains', { content: DEFINITION })
    const { id } = await send('/api/v1/desk/orders', { number: '7', text: SENTENCE.repeat(200) })
    const templates = ['prose', 'word', 'page']
    const generate = (at: number) =>
      send(`/api/v1/desk/templates/${templates[at % templates.length]}/generate`, { recordId: id })
    for (let at = 0; at < 30; at += 1) await generate(at)
    const before = residentOf(server.pid)
    const waits: number[] = []
    let isOver = false
    const looking = (async () => {
      while (!isOver) {
        const began = performance.now()
        await server.request('GET', '/health')
        waits.push(performance.now() - began)
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    })()
    const began = performance.now()
    let next = 0
    const one = async () => {
      while (next < DOCUMENTS) await generate(next++)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
    const seconds = (performance.now() - began) / 1000
    isOver = true
    await looking
    const left = residentOf(server.pid) - before
    const sorted = waits.toSorted((a, b) => a - b)
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0
    console.log(
      `generating: ${DOCUMENTS} documents in ${seconds.toFixed(1)} s leave ${left.toFixed(0)} MiB behind (goal ${GOAL_MIB}); /health p50 ${(sorted[sorted.length >> 1] ?? 0).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (goal ${GOAL_MS})`,
    )
  } finally {
    server.kill('SIGKILL')
    await databases.close()
  }
}

/** The memory of a process and of those that it has begun, in MiB. */
function residentOf(pid: number): number {
  const children = (of: number): readonly number[] => {
    try {
      return execFileSync('ps', ['-o', 'pid=', '--ppid', String(of)], { encoding: 'utf8' })
        .split('\n')
        .flatMap((line) => (line.trim() === '' ? [] : [Number(line)]))
    } catch {
      return []
    }
  }
  return [pid, ...children(pid)].reduce((sum, one) => sum + residentMib(one), 0)
}
