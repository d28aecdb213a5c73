import { type Plugin, SYSTEM } from '@svc/kernel'
import { MediaCapability } from '@svc/media/contract'
import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { FILES, PNG } from '../files/desk.ts'
import { png } from './pictures.ts'
import { type Answer, useShelf } from './shelf.ts'

const TRACER = new URL('../../fixtures/third-party-plugin/tracer.js', import.meta.url).href
const { plugin: tracer } = (await import(TRACER)) as { readonly plugin: Plugin }

const definition = (browse: string) => `
domain:
  name: shop
  version: '1'
  media: { permissions: { browse: ${browse} } }
  resources:
    Thing:
      object: { name: string, cover: media }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Plain:
      object: { name: string }
      permissions: { create: ['*'] }
`
const told = ({ status, body }: Answer) => [status, body?.error_code]

for (const store of STORES)
  describe(`the bytes of media on ${store.name}`, () => {
    const shelf = useShelf(store, definition('[clerk, owner]'), { serve_public: false }, {}, [tracer])
    const read = async (path: string, token?: string) => told(await shelf().ask('GET', path, { token }))

    it('C1.10: are read under the browse tier of their domain, and others by every signed-in user', async () => {
      const { token: clerk } = await shelf().server.account('carl', ['clerk'])
      const { token: other } = await shelf().server.account('otto')
      const { ann } = shelf()
      const { path } = await shelf().item({ token: ann.token })
      expect(await read(path)).toEqual([401, 'UNAUTHORIZED'])
      expect(await read(path, other)).toEqual([403, 'FORBIDDEN'])
      expect(await read(path, ann.token)).toEqual([200, undefined])
      expect(await read(path, clerk)).toEqual([200, undefined])
      const file = await shelf().kept({ token: ann.token })
      expect(await read(file.path, other)).toEqual([200, undefined])
      await shelf().server.submit(definition('"*"').replace("version: '1'", "version: '2'"))
      expect([await read(path, other), await read(path)]).toEqual([
        [200, undefined],
        [401, 'UNAUTHORIZED'],
      ])
      await shelf().server.submit(definition('[clerk, owner]').replace("version: '1'", "version: '3'"))
    })

    it('C1.10: a signed address reads what its signer may read at that moment', async () => {
      const { token } = await shelf().server.account('cora', ['clerk'])
      const { token: other } = await shelf().server.account('olaf')
      const { path } = await shelf().item()
      const sign = (by: string) =>
        shelf().server.request('POST', `${FILES}/sign`, { token: by, body: { path } })
      expect(told(await sign(other))).toEqual([403, 'FORBIDDEN'])
      const { url } = (await sign(token)).body.data
      expect(await read(url)).toEqual([200, undefined])
      const { admin } = shelf().server
      await shelf().server.request('PUT', '/api/v1/admin/users/cora/roles', {
        token: admin,
        body: { roles: [] },
      })
      expect(await read(url)).toEqual([403, 'FORBIDDEN'])
    })

    it('C1.11: are deleted with their item, and not before it', async () => {
      const { token } = shelf().ann
      const { id, path } = await shelf().item({ token })
      const remove = (by: string) => shelf().ask('DELETE', path, { token: by })
      const { token: other } = await shelf().server.account('oscar')
      expect(told(await remove(other))).toEqual([403, 'FORBIDDEN'])
      expect(told(await remove(token))).toEqual([409, 'CONFLICT'])
      expect(told(await remove(shelf().server.admin))).toEqual([409, 'CONFLICT'])
      expect((await shelf().send('DELETE', `/api/v1/shop/media/${id}`)).status).toBe(204)
      expect(await read(path, token)).toEqual([404, 'NOT_FOUND'])
    })

    it('other plugins open items, add them together with what refers to them, and let go of those of a record', async () => {
      const { kernel } = shelf().server
      const media = kernel.get(MediaCapability)
      const by = { caller: SYSTEM, requestId: 'x' }
      const coming = (name: string, bytes: Buffer) => ({
        filename: name,
        mimeType: 'image/png',
        bytes: (async function* () {
          yield await Promise.resolve(bytes)
        })(),
        createdBy: null,
      })
      const transaction = kernel.get(StoreCapability).transaction.bind(kernel.get(StoreCapability))
      const ready = await media.put('shop', coming('a.png', png(3, 2)))
      expect(await media.find('shop', ready.item.id)).toBeUndefined()
      await transaction((tx) => ready.enter(tx, by))
      const { id } = ready.item
      expect(await media.find('shop', id)).toMatchObject({ filename: 'a.png', width: 3, height: 2 })
      expect(await media.find('others', id)).toBeUndefined()
      const opened = await media.open('shop', id)
      const bytes = await new Response((await opened!.read()) as never).arrayBuffer()
      expect(Buffer.from(bytes).equals(png(3, 2))).toBe(true)
      const rejected = await media.put('shop', coming('b.png', Buffer.from('x')))
      expect([rejected.rejected?.status, rejected.item.size]).toEqual([422, 0])
      await rejected.discard()
      const shared = (await shelf().item({ bytes: PNG })).id
      const things = '/api/v1/shop/things'
      const thing = await shelf().send('POST', things, { cover: id })
      await shelf().send('POST', things, { cover: shared })
      const { id: key } = (await shelf().send('POST', things, { cover: shared })).body.data
      await transaction(async (tx) => {
        await media.release('shop', { resource: 'Thing', keys: [thing.body.data.id] }, tx, by)
        await media.release('shop', { resource: 'Thing', keys: [key] }, tx, by)
      })
      expect(await media.find('shop', id)).toBeUndefined()
      expect(await media.find('shop', shared)).toBeDefined()
    })

    it('a write without media costs nothing more, and one that refers to an item two statements', async () => {
      const { log } = shelf().server
      const { id } = await shelf().item()
      const statements = async (work: () => Promise<{ status: number }>) => {
        const { length } = log
        expect((await work()).status).toBe(201)
        return (
          log
            .slice(length)
            .filter(({ event, fields }) => event === 'span.ended' && (fields as any).name === 'statement')
            .map(({ fields }) => (fields as any).facts)
            .map(({ operation, table }) => `${operation} ${table}`)
            // What the server writes behind its answers comes when it comes.
            .filter((one) => / (?:shop_[a-z]|svc_media)/.test(one))
        )
      }
      const create = (path: string, values: object) => () =>
        shelf().send('POST', `/api/v1/shop/${path}`, values)
      expect(await statements(create('plains', { name: 'x' }))).toEqual(['insert shop_plain'])
      expect(await statements(create('things', { name: 'x' }))).toEqual(['insert shop_thing'])
      expect(await statements(create('things', { cover: id }))).toEqual([
        'select svc_media_items',
        'insert shop_thing',
        'append svc_media_references',
      ])
    })
  })
