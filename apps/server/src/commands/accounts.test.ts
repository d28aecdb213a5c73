import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKernel } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRequest, type SendRequest } from '../../../../test/kit/request.ts'
import { STORES, type TestDatabase } from '../../../../test/kit/stores.ts'
import { standardPlugins } from '../plugins.ts'
import { run } from '../run.ts'

const here = process.cwd()
afterAll(() => process.chdir(here))

/** Runs a command line; answers its exit code and what it wrote. */
async function svc(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' }
  const code = await run(args, {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
  })
  return { code, ...written }
}

const passwordIn = (out: string): string => /^password:\s+(\S+)$/m.exec(out)?.[1] ?? expect.fail(out)

const BLOG = `domain:
  name: blog
  version: '1.0'
  resources:
    Post:
      object:
        title: { type: string, required: true }
`
const SEED = `roles:
  - { name: editor, description: Edits }
users:
  - { username: edith, email: edith@example.org, password: Correct-horse-7, roles: [editor], verified: true }
data:
  blog:
    Post:
      - { _key: first, title: One }
      - { _key: second, title: Two }
`

for (const store of STORES) {
  describe(`commands beside the server on ${store.name}`, () => {
    let folder = ''
    let database: TestDatabase
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'svc-accounts-'))
      database = await store.open()
      write('blog.yaml', BLOG)
      write('seed.yaml', SEED)
    })
    afterAll(async () => {
      process.chdir(here)
      await database.drop()
      rmSync(folder, { recursive: true })
    })

    const write = (name: string, content: string | object): string => {
      const path = join(folder, name)
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
      return path
    }
    const sections = (seeder: object = { seed_file: 'seed.yaml' }) => ({
      ...database.config(),
      rest: { port: 0 },
      auth: { jwt: { secret: 'a secret of tests that is long enough' } },
      domain: { domain_file: join(folder, 'blog.yaml') },
      seeder,
    })
    const config = (seeder?: object) => write('config.json', sections(seeder))

    async function withServer(work: (request: SendRequest) => Promise<void>): Promise<void> {
      const plugins = standardPlugins(sections())
      const kernel = createKernel({ config: sections({}), plugins })
      await kernel.start()
      try {
        const http = kernel.get(HttpServerCapability)
        await work(createRequest(http.url(), http.fetch))
      } finally {
        await kernel.stop()
      }
    }
    const login = async (request: SendRequest, username: string, password: string) =>
      request('POST', '/api/v1/auth/login', { body: { username, password } })

    it('seed applies the manifest and tells what that did', async () => {
      const file = config({ seed_file: 'seed.yaml', run_on_start: true })
      expect(await svc('seed', '--config', file)).toEqual({
        code: 0,
        err: '',
        out: 'roles:   1 created, 0 there already\nusers:   1 created, 0 there already\nrecords: 2 created, 0 there already\n',
      })
      const again = await svc('seed', '--config', config())
      expect(again).toMatchObject({
        code: 0,
        out: expect.stringContaining('records: 0 created, 2 there already'),
      })
    })

    it('seed names the line of what is wrong, and does nothing then', async () => {
      const wrong = `${SEED}      - { _key: third, titel: Three }\n`
      const file = config({ seed_file: write('wrong.yaml', wrong) })
      const { code, out, err } = await svc('seed', '--config', file)
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(/wrong\.yaml:10\b/)
      expect(err.trim().split('\n')).toHaveLength(1)
    })

    it('seed needs a manifest that may be used', async () => {
      expect(await svc('seed', '--config', config({}))).toMatchObject({ code: 1, out: '' })
      const off = await svc('seed', '--config', config({ enabled: false, seed_file: 'seed.yaml' }))
      expect(off.err).toContain('switched off')
      expect((await svc('seed')).code).toBe(2)
    })

    it('admin create makes an administrator once', async () => {
      const args = ['admin', 'create', '--config', config(), '--if-none']
      const made = await svc(...args)
      expect(made).toMatchObject({ code: 0, err: '' })
      await withServer(async (request) => {
        expect((await login(request, 'admin', passwordIn(made.out))).status).toBe(200)
      })
      expect(await svc(...args)).toEqual({ code: 0, out: '', err: '' })
    })

    it('admin create says what is wrong with a name', async () => {
      const { code, out, err } = await svc('admin', 'create', '--config', config(), '--username', 'bad name')
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(/^svc: The input is not valid; username: 3 to 64 letters/)
    })

    it('admin reset-password gives a new password and ends the sessions, of a running server too', async () => {
      await withServer(async (request) => {
        const before = await login(request, 'edith', 'Correct-horse-7')
        const token = before.body.data.access_token
        const me = () => request('GET', '/api/v1/auth/me', { token })
        expect((await me()).status).toBe(200)
        const { code, out, err } = await svc('admin', 'reset-password', 'EDITH', '--config', config())
        expect([code, err]).toEqual([0, ''])
        expect(out).toMatch(/^user: +edith\npassword: /)
        expect((await login(request, 'edith', 'Correct-horse-7')).status).toBe(401)
        expect((await login(request, 'edith', passwordIn(out))).status).toBe(200)
        await expect.poll(async () => (await me()).body.error_code, { timeout: 5_000 }).toBe('TOKEN_INVALID')
      })
    })

    it('admin reset-password needs a user who is there', async () => {
      const { code, err } = await svc('admin', 'reset-password', 'nobody', '--config', config())
      expect([code, err]).toEqual([1, expect.stringContaining("there is no user 'nobody'")])
      for (const args of [[], ['a', 'b', '--config', config()], ['edith']])
        expect((await svc('admin', 'reset-password', ...args)).code).toBe(2)
      expect(await svc('admin', 'remove')).toMatchObject({
        code: 2,
        err: expect.stringContaining("'admin' takes 'create' or 'reset-password'"),
      })
    })
  })
}
