import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ActionAccess } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const EXAMPLE = new URL('../../../apps/server/examples/workshop/', import.meta.url)
/** Fits every kind of key, and is that of no record. */
const NO_RECORD = '01900000-0000-7000-8000-000000000000'

interface Route {
  readonly action: string
  readonly method: string
  readonly path: string
  readonly access: ActionAccess
}

for (const store of STORES) {
  describe(`every route of the workshop on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: readFileSync(new URL('domain.yaml', EXAMPLE), 'utf8'),
      config: { scripting: { dir: fileURLToPath(new URL('scripts', EXAMPLE)) }, metrics: { port: 0 } },
    })
    let stranger: TestAccount
    let routes: readonly Route[] = []

    beforeAll(async () => {
      stranger = await server().account('stranger')
      routes = server()
        .kernel.actions.list()
        .filter(({ enabled }) => enabled?.() !== false)
        .flatMap(({ name, access, routes: all = [] }) =>
          all.map((route) => {
            const [method = '', path = ''] = route.split(' ')
            return { action: name, method, path: path.replace(/:[A-Za-z0-9_]+/g, NO_RECORD), access }
          }),
        )
    })

    const send = ({ method, path }: Route, token?: string) =>
      server().request(method, path, {
        ...(token !== undefined && { token }),
        ...(method !== 'GET' && { body: {} }),
      })
    /** The same as a form, for routes that take a file. */
    const sendForm = ({ method, path }: Route, token?: string) =>
      server().request(method, path, {
        ...(token !== undefined && { token }),
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\na\r\n--x--\r\n',
      })
    /** Routes whose answer is not among `right`, with the answer. */
    const wrong = async (asked: readonly Route[], right: readonly number[], token?: string) => {
      const found: string[] = []
      for (const route of asked) {
        const first = await send(route, token)
        const { status } = first.status === 415 ? await sendForm(route, token) : first
        if (!right.includes(status)) found.push(`${status} ${route.method} ${route.path}`)
      }
      return found
    }
    const isOpen = ({ access }: Route) => access.includes('*')
    const isForRoles = ({ access }: Route) =>
      access !== 'record' && !access.includes('*') && !access.includes('authenticated')

    it('is told, and says who may use it', async () => {
      const { body } = await server().request('GET', '/api/v1/routes')
      expect(body.data.count).toBe(routes.length)
      expect(routes.length).toBeGreaterThan(200)
      const silent = routes.filter(({ access }) => access !== 'record' && !Array.isArray(access))
      expect(silent).toEqual([])
      expect(new Set(body.data.routes.map(({ action }: { action: string }) => action))).toEqual(
        new Set(routes.map(({ action }) => action)),
      )
    })

    it('asks strangers to sign in, unless it is open to everybody', async () => {
      expect(
        await wrong(
          routes.filter((route) => !isOpen(route)),
          [401],
        ),
      ).toEqual([])
    })

    it('refuses those who hold none of its roles', async () => {
      const forRoles = routes.filter(isForRoles)
      expect(forRoles.length).toBeGreaterThan(50)
      expect(await wrong(forRoles, [403], stranger.token)).toEqual([])
    })

    it('gives nothing of others away where the record decides', async () => {
      const byRecord = routes.filter(({ access }) => access === 'record')
      expect(byRecord.length).toBeGreaterThan(10)
      const reads = byRecord.filter(({ method }) => method === 'GET')
      const writes = byRecord.filter(({ method }) => method !== 'GET')
      expect(await wrong(writes, [403, 404, 422], stranger.token)).toEqual([])
      for (const route of reads) {
        const { status, body } = await send(route, stranger.token)
        const empty = [0, undefined].includes(
          body?.data?.count ?? body?.data?.total ?? body?.data?.values?.length,
        )
        expect([route.path, status < 400 ? empty : status < 500]).toEqual([route.path, true])
      }
    })

    it('lets nobody write to a resource without signing in', () => {
      // A webhook asks for a signature in place of a token.
      const webhook = 'svc.workshop.integrations.receive'
      const own = routes.filter(
        ({ action, ...route }) =>
          isOpen({ action, ...route }) && action.startsWith('svc.workshop.') && action !== webhook,
      )
      const written = own.filter(({ method }) => method !== 'GET').map(({ action }) => action)
      expect(written).toEqual([])
    })
  })
}
