import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { FILES, PNG, useDesk } from './desk.ts'
import { PLACES } from './places.ts'

const [disk] = PLACES

for (const store of STORES)
  describe(`files that are not public, on ${store.name}`, () => {
    const desk = useDesk(store, disk!, { serve_public: false, upload_roles: ['editor'] })
    const editor = async (name: string) => (await desk().server.account(name, ['editor'])).token
    const signed = async (path: string, token: string) => {
      const { body } = await desk().server.request('POST', `${FILES}/sign`, { token, body: { path } })
      return String(body.data.url)
    }
    const read = async (path: string, token?: string) => {
      const { status, body, bytes } = await desk().ask('GET', path, { token })
      return [status, body?.error_code ?? bytes.length]
    }

    it('[C1.1] upload_roles alone may upload', async () => {
      expect((await desk().upload()).status).toBe(403)
      expect((await desk().upload({ token: desk().server.admin })).status).toBe(403)
      expect((await desk().upload({ token: undefined })).status).toBe(401)
      expect((await desk().upload({ token: await editor('eden') })).status).toBe(201)
    })

    it('[C1.10] any signed-in user reads them, nobody else does, and no cache keeps them for others', async () => {
      const { path } = await desk().kept({ token: await editor('eve') })
      expect(await read(path)).toEqual([401, 'UNAUTHORIZED'])
      expect(await read(path, 'nonsense')).toEqual([401, 'TOKEN_INVALID'])
      expect(await read(path, desk().ann.token)).toEqual([200, PNG.length])
      const { headers } = await desk().ask('GET', path)
      expect(headers.get('cache-control')).toBe('private, no-cache')
    })

    it('[C1.10] who has a signed address needs no token, and reads what its signer may read at that moment', async () => {
      const token = await editor('eda')
      const { path } = await desk().kept({ token })
      const url = await signed(path, token)
      expect(await read(url)).toEqual([200, PNG.length])
      await desk().server.request('POST', '/api/v1/admin/users/eda/suspend', {
        token: desk().server.admin,
        body: {},
      })
      expect(await read(url)).toEqual([403, 'USER_SUSPENDED'])
      await desk().server.request('POST', '/api/v1/admin/users/eda/unsuspend', {
        token: desk().server.admin,
        body: {},
      })
      expect(await read(url)).toEqual([200, PNG.length])
      desk().server.clock.advance(301_000)
      expect(await read(url)).toEqual([401, 'TOKEN_EXPIRED'])
      expect(await read(url.replace('expires=', 'expires=9'))).toEqual([401, 'TOKEN_INVALID'])
    })

    it('[C1.10] a signed address of a file that is gone is 404', async () => {
      const token = await editor('edo')
      const { path } = await desk().kept({ token })
      const url = await signed(path, token)
      await desk().ask('DELETE', path, { token })
      expect(await read(url)).toEqual([404, 'NOT_FOUND'])
    })
  })
