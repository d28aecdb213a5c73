import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startStore, STORES, type StoreUnderTest, type TestDatabase } from '../../../../test/kit/stores.ts'
import { run } from '../run.ts'

const here = process.cwd()
afterAll(() => process.chdir(here))

const BLOG = `domain: { name: blog, version: '1', resources: { Post: { object: { title: string } } } }`
const SEED = 'roles: [{ name: editor, description: Edits }]'

/** A fresh folder with all that a sound configuration names. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-order-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'blog.yaml'), BLOG)
  writeFileSync(join(folder, 'seed.yaml'), SEED)
  writeFileSync(join(folder, 'file'), 'a file is no folder')
  return folder
}

/** A port that somebody else listens on for as long as the test runs. */
async function takenPort(): Promise<number> {
  const squatter = createServer().listen(0, '127.0.0.1')
  await once(squatter, 'listening')
  onTestFinished(() => void squatter.close())
  return (squatter.address() as AddressInfo).port
}

/** A socket that somebody else listens on for as long as the test runs. */
async function takenSocket(folder: string): Promise<string> {
  const path = join(folder, 'taken.sock')
  const squatter = createServer().listen(path)
  await once(squatter, 'listening')
  onTestFinished(() => void squatter.close())
  return path
}

type Sections = Record<string, unknown>

const sound = (): Sections => ({
  rest: { port: 0 },
  auth: { jwt: { secret: 'a secret of tests that is long enough' } },
  domain: { domain_file: 'blog.yaml' },
  seeder: { run_on_start: true, seed_file: 'seed.yaml' },
})

/** What is wrong, the sections that make it so, and who says it. */
const BROKEN: readonly (readonly [
  what: string,
  sections: (folder: string) => Promise<Sections> | Sections,
  by: string,
])[] = [
  ['the port is taken', async () => ({ rest: { port: await takenPort() } }), 'rest: '],
  [
    'the certificate is missing',
    () => ({ rest: { port: 0, tls: { cert_file: 'no.pem', key_file: 'no.pem' } } }),
    'rest: ',
  ],
  [
    'the socket is taken',
    async (folder) => ({ management: { socket: await takenSocket(folder) } }),
    'management: ',
  ],
  ['the socket is a file', () => ({ management: { socket: 'file' } }), 'management: '],
  [
    'the folder of the socket cannot be made',
    () => ({ management: { socket: 'file/svc.sock' } }),
    'management: ',
  ],
  ['the port of the metrics is taken', async () => ({ metrics: { port: await takenPort() } }), 'metrics: '],
  ['the definition is missing', () => ({ domain: { domain_file: 'no.yaml' } }), 'domain: '],
  ['the definition is a folder', () => ({ domain: { domain_file: ['blog.yaml', '.'] } }), 'domain: '],
  [
    'the seed manifest is missing',
    () => ({ seeder: { run_on_start: true, seed_file: 'no.yaml' } }),
    'seeder: ',
  ],
  ['the folder of the scripts is missing', () => ({ scripting: { dir: 'none' } }), 'scripting: '],
  ['the log file cannot be made', () => ({ logging: { file: { path: 'file/svc.log' } } }), 'logging: '],
]

/** Runs the server on a configuration that is wrong; answers its exit code and what it says. */
async function start(folder: string, sections: Sections) {
  const config = join(folder, 'svc.json')
  writeFileSync(config, JSON.stringify(sections))
  let err = ''
  const code = await run([config], { out: () => undefined, err: (text) => void (err += text) })
  return { code, err }
}

async function tablesOf(store: StoreUnderTest, database: TestDatabase): Promise<readonly string[]> {
  const file = (database.config()['sqlite'] as { path: string } | undefined)?.path
  if (file !== undefined) return existsSync(file) ? ['a database file'] : []
  const running = await startStore(store, database)
  const { tables } = await running.store.catalog()
  await running.stop()
  return tables.map(({ name }) => name)
}

for (const store of STORES) {
  describe(`a start on ${store.name} that cannot succeed has changed nothing (ruling 1.5)`, () => {
    it.each(BROKEN)('where %s', async (_, broken, by) => {
      const folder = createFolder()
      const database = await store.open()
      onTestFinished(() => database.drop())
      const { code, err } = await start(folder, {
        ...sound(),
        ...database.config(),
        ...(await broken(folder)),
      })
      expect([code, err]).toEqual([1, expect.stringContaining(`svc: ${by}`)])
      expect(err.trim().split('\n')).toHaveLength(1)
      expect(await tablesOf(store, database)).toEqual([])
    })
  })
}

describe('a start on sqlite', () => {
  it('that cannot make the folder of the database says so, together with all else that it finds', async () => {
    const folder = createFolder()
    const sections = { ...sound(), sqlite: { path: 'file/data/svc.db' }, scripting: { dir: 'none' } }
    const { code, err } = await start(folder, sections)
    expect(code).toBe(1)
    expect(err).toMatch(/^svc: start: 2 faults: sqlite: .*file' is no folder.*; scripting: .*none.*\n$/)
  })
})
