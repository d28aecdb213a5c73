import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  createAdmin,
  createFolder,
  runProgram,
  signIn,
  startProgram,
  startServer,
  type TestFolder,
  testConfig,
} from '../../kit/server-process.ts'
import { STORES } from '../../kit/stores.ts'

const SLOW_PLUGIN = fileURLToPath(new URL('../../fixtures/slow-plugin/slow.js', import.meta.url))

let folder: TestFolder
beforeEach(() => void (folder = createFolder()))
afterEach(() => folder.remove())

const sqlite = { path: 'data/svc.db' }

/** Starts a server that is gone when the test is, whatever happens in between. */
async function start(config: string, options = {}) {
  const server = await startServer(config, options)
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await server.exited
  })
  return server
}

for (const store of STORES) {
  describe(`a server on ${store.name}`, () => {
    it('starts, keeps what it is told across a restart, and stops with 0', async () => {
      const database = await store.open()
      onTestFinished(() => database.drop())
      const config = folder.write(testConfig(database.config()))
      const password = await createAdmin(config)

      const first = await start(config)
      expect((await first.request('GET', '/health')).body).toEqual({ status: 'healthy' })
      const token = await signIn(first.request, password)
      const content = `domain: { name: notes, version: '1', resources: { Note: { object: { text: string } } } }`
      const submitted = await first.request('POST', '/api/v1/domains', { token, body: { content } })
      expect(submitted.status).toBe(201)
      await first.request('POST', '/api/v1/notes/notes', { token, body: { text: 'stay' } })
      expect(await first.stop()).toBe(0)

      const second = await start(config)
      const { body } = await second.request('GET', '/api/v1/notes/notes', { token })
      expect(body.data.items).toEqual([expect.objectContaining({ text: 'stay' })])
      expect(await second.stop()).toBe(0)
      expect(second.output.stderr).toBe('')
    })
  })
}

describe('a server', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes what is in flight on %s, and takes no more',
    async (signal) => {
      const end = join(folder.path, 'end')
      const plugins = ['rest', 'sqlite', 'system', SLOW_PLUGIN]
      const { auth: _auth, rate_limit: _limit, ...sections } = testConfig({ sqlite, slow: { until: end } })
      const server = await start(folder.write({ ...sections, plugins }))
      const inFlight = server.request('GET', '/slow')
      await server.logged('slow.waiting')

      server.kill(signal)
      await expect.poll(() => server.request('GET', '/health').catch(() => 'refused')).toBe('refused')
      folder.write('', 'end')

      expect((await inFlight).body.data).toEqual({ waited: true })
      expect(await server.exited).toBe(0)
    },
  )

  it('can be stopped where a plugin is never set up', async () => {
    folder.write(HUNG, 'hung.mjs')
    const { auth: _auth, rate_limit: _limit, ...sections } = testConfig({ sqlite })
    const plugins = ['rest', 'sqlite', 'system', './hung.mjs']
    const logging = { level: 'info', format: 'text' }
    const server = startProgram(['--config', folder.write({ ...sections, logging, plugins })])
    await server.said(/hangs from now on/)
    expect(await server.stop()).toBe(0)
    expect(server.output.stdout).toContain('server.stopped')
  }, 60_000)

  it('says which port is taken', async () => {
    const port = await takenPort()
    const config = folder.write({ ...testConfig({ sqlite, rest: { port } }), logging: { level: 'error' } })
    const { code, stderr } = await runProgram(['--config', config])
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1])
    expect(stderr).toMatch(new RegExp(`^svc: rest: .*${port}`))
  })

  it('takes relative paths from the folder of its configuration', async () => {
    const server = await start(folder.write(testConfig({ sqlite })), { cwd: '/' })
    expect(readdirSync(join(folder.path, 'data'))).toContain('svc.db')
    expect(await server.stop()).toBe(0)
  })

  it('logs to a file that it rotates, and keeps as many as it is told', async () => {
    const file = { path: 'logs/svc.log', max_size_mb: 0.0004, max_files: 2 }
    const logging = { level: 'trace', format: 'json', file }
    folder.write(QUITTER, 'quitter.mjs')
    const plugins = ['rest', 'sqlite', 'ratelimit', 'auth', 'audit', 'domain', 'system', './quitter.mjs']
    const config = folder.write({ ...testConfig({ sqlite }), plugins, logging })
    for (let run = 0; run < 4; run++) await runProgram(['--config', config])

    const logs = join(folder.path, 'logs')
    expect(readdirSync(logs).sort()).toEqual(['svc.log', 'svc.log.1'])
    for (const name of readdirSync(logs)) {
      const lines = readFileSync(join(logs, name), 'utf8').trim().split('\n')
      expect(lines.map((line) => JSON.parse(line).msg)).not.toContain(undefined)
    }
  })
})

/** A plugin that ends a start when everything is set up. */
const QUITTER = `export const plugin = {
  name: 'quitter',
  phase: 'seeder',
  setup: ({ onOpen }) => onOpen(() => { throw new Error('enough') }),
}
`

/** A port that somebody else listens on for as long as the test runs. */
async function takenPort(): Promise<number> {
  const squatter = createServer().listen(0, '127.0.0.1')
  await once(squatter, 'listening')
  onTestFinished(() => void squatter.close())
  return (squatter.address() as AddressInfo).port
}

/** A plugin that is never set up. */
const HUNG = `export const plugin = {
  name: 'hung',
  phase: 'domain',
  setup() {
    console.log('hangs from now on')
    return new Promise(() => {})
  },
}
`
