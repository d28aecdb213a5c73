import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createAdmin, signIn, startServer, type TestFolder, testConfig } from '../kit/server-process.ts'
import { makeLargeDefinition } from './large-definition.ts'
import type { Readings } from './validate.ts'

/** What each part may take, in milliseconds. */
const GOALS_MS = { validate: 300, submit: 2000, resubmit: 500 } as const

const VALIDATE = fileURLToPath(new URL('./validate.ts', import.meta.url))

/** Times a definition of 100 resources with 20 fields each, and prints it; `node` are further options of the server. */
export async function measureDefinitions(folder: TestFolder, node: readonly string[] = []): Promise<void> {
  const content = makeLargeDefinition()
  const kilobytes = Math.round(Buffer.byteLength(content) / 1000)
  console.log(`definitions of 100 resources with 20 fields, ${kilobytes} kB of YAML`)
  const { first, further } = await validate()
  print('validate, first', first, GOALS_MS.validate)
  print(`validate, median of ${further.length}`, median(further), GOALS_MS.validate)
  const { submit, resubmit } = await submitTwice(folder, node)
  print('submit', submit, GOALS_MS.submit)
  print('submit with a field added', resubmit, GOALS_MS.resubmit)
}

/** Validates in a process of its own that loads the built packages, as the server does. */
async function validate(): Promise<Readings> {
  const env = { ...process.env, NODE_OPTIONS: '--import tsx' }
  const child = spawn(process.execPath, [VALIDATE], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
  return JSON.parse(output) as Readings
}

/** Puts the definition in force on an empty SQLite, then again with one field more. */
async function submitTwice(
  folder: TestFolder,
  node: readonly string[],
): Promise<{ submit: number; resubmit: number }> {
  const config = folder.write(testConfig({ sqlite: { path: 'definitions.db' } }), 'definitions.json')
  const password = await createAdmin(config)
  const server = await startServer(config, { node, cwd: folder.path })
  try {
    const token = await signIn(server.request, password)
    const timed = async (content: string) => {
      const started = performance.now()
      const answer = await server.request('POST', '/api/v1/domains', { token, body: { content } })
      const took = performance.now() - started
      if (answer.status !== 201 || answer.body.warnings !== undefined)
        throw new Error(`the definition was not applied as it stands: ${JSON.stringify(answer.body)}`)
      return took
    }
    const submit = await timed(makeLargeDefinition())
    const resubmit = await timed(makeLargeDefinition(['addedLater: { type: string, maxLength: 40 }']))
    return { submit, resubmit }
  } finally {
    await server.stop()
  }
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!

function print(what: string, took: number, goal: number): void {
  const missed = took > goal ? ', MISSED' : ''
  console.log(`  ${what.padEnd(26)} ${String(Math.round(took)).padStart(5)} ms  goal ${goal} ms${missed}`)
}
