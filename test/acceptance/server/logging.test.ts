import { connect } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createAdmin,
  createFolder,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../../kit/server-process.ts'
import { STORES, type TestDatabase } from '../../kit/stores.ts'

const PASSWORD = 'a password that nobody has'

for (const store of STORES) {
  describe(`the log of a server on ${store.name}`, () => {
    let folder: TestFolder
    let database: TestDatabase
    let server: ServerProcess
    let token: string

    beforeAll(async () => {
      folder = createFolder()
      database = await store.open()
      const logging = { level: 'info', format: 'json', access: true }
      const config = folder.write(testConfig({ ...database.config(), logging }))
      const password = await createAdmin(config)
      server = await startServer(config)
      token = await signIn(server.request, password)
    })
    afterAll(async () => {
      await server?.stop()
      await database?.drop()
      folder.remove()
    })

    /** The lines about a request. */
    const linesOf = (requestId: string) =>
      server.output.stdout
        .split('\n')
        .filter((line) => line.includes(`"requestId":"${requestId}"`))
        .map((line) => JSON.parse(line))
    const refused = (requestId: string) => linesOf(requestId).filter(({ msg }) => msg === 'request.refused')
    const ask = (requestId: string, method: string, path: string, body?: unknown, bearer?: string) =>
      server.request(method, path, {
        headers: { 'x-request-id': requestId },
        ...(body !== undefined && { body }),
        ...(bearer !== undefined && { token: bearer }),
      })

    it('[2.2] has one line at level info for a request that is refused before it is on record', async () => {
      await ask('no-token', 'GET', '/api/v1/admin/users?secret=x')
      await ask('no-route', 'POST', '/nothing?secret=x', { password: PASSWORD })
      await ask('bad-body', 'POST', '/api/v1/auth/login', { username: 'admin', password: `${PASSWORD}\0` })
      await expect.poll(() => refused('bad-body')).toHaveLength(1)
      const line = { level: 'info', remote: '127.0.0.1' }
      expect(refused('no-token')).toMatchObject([
        { ...line, code: 'UNAUTHORIZED', action: 'admin.users.list' },
      ])
      expect(refused('no-route')).toMatchObject([
        { ...line, code: 'NOT_FOUND', method: 'POST', path: '/nothing' },
      ])
      expect(refused('bad-body')).toMatchObject([
        { ...line, code: 'VALIDATION_ERROR', action: 'auth.login', username: 'admin' },
      ])
      expect(server.output.stdout).not.toContain('secret=x')
      expect(server.output.stdout).not.toContain(PASSWORD)
    })

    it('[2.2] has a line for what is no HTTP', async () => {
      const { hostname, port } = new URL(server.url)
      const lines = () =>
        server.output.stdout.match(/"code":"BAD_REQUEST","remote":"127.0.0.1"/g)?.length ?? 0
      const before = lines()
      await once(connect(Number(port), hostname).resume().end('rubbish\r\n\r\n'), 'close')
      await expect.poll(lines).toBe(before + 1)
    })

    it('has one line for each request where it is asked for', async () => {
      await ask('a-list', 'GET', '/api/v1/admin/users?secret=x', undefined, token)
      await ask('a-miss', 'GET', '/nothing')
      const accessed = (id: string) => linesOf(id).filter(({ msg }) => msg === 'http.answered')
      await expect.poll(() => accessed('a-miss')).toHaveLength(1)
      expect(accessed('a-list')).toEqual([
        expect.objectContaining({
          level: 'info',
          method: 'GET',
          path: '/api/v1/admin/users',
          status: 200,
          ms: expect.any(Number),
          bytes: expect.any(Number),
          remote: '127.0.0.1',
          username: 'admin',
        }),
      ])
      expect(accessed('a-miss')).toMatchObject([{ method: 'GET', path: '/nothing', status: 404 }])
    })
  })
}
