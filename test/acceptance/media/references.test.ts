import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { createProbing } from '../blocks/probe.ts'
import { albums, FIRST, holdsItems, type Shape } from './album.ts'
import { foundReferences, keptReferences } from './references.ts'
import { type Answer, useShelf } from './shelf.ts'

const ROUNDS = size('MEDIA_RACES', { smoke: 12, whole: 50 })
const BASE = '/api/v1/albums'
const MEDIA = `${BASE}/media`
const told = ({ status, body }: Answer) => [
  status,
  body?.error_code,
  ...(body?.errors ?? []).map(({ field, rule }: any) => `${field}: ${rule}`),
]

/** Begins after so many turns of the event loop. */
async function after<T>(turns: number, work: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate)
  return work()
}

/** The same definition, with fields that not everybody reads. */
const guarded = albums(FIRST)
  .replace('name: albums', 'name: guarded')
  .replace(
    'probe: {}\n      object:\n        title: { type: string, unique: true }',
    'object:\n        title: string\n        owned: { type: media }',
  )
  .replace(
    "{ list: ['*'], get: ['*'],",
    '{ list: [clerk], get: [clerk, owner], fields: { owned: { read: [boss] } },',
  )
  .replace('deletedAt: datetime', 'deletedAt: datetime\n        userId: uuid')

for (const store of STORES)
  describe(`what refers to media on ${store.name}`, () => {
    const probing = createProbing()
    const shelf = useShelf(store, albums(FIRST), {}, {}, [probing.plugin])
    const item = () => shelf().item({ base: BASE })
    const post = async (path: string, values: object) => {
      const { status, body } = await shelf().send('POST', `${BASE}${path}`, values)
      if (status >= 300) throw new Error(JSON.stringify(body))
      return body.data
    }
    const referring = async (id: string) => {
      const { body } = await shelf().send('GET', `${MEDIA}/${id}`)
      const { reference_count: count, references } = body.data
      return [count, ...references.map((one: any) => `${one.resource} ${one.record_id} ${one.field_name}`)]
    }
    const remove = (id: string) => shelf().send('DELETE', `${MEDIA}/${id}`)

    it('C2.6, C2.7: an item that records refer to stays, and says how many references there are', async () => {
      const { id } = await item()
      const album = await post('/albums', { cover: id })
      const page = await post('/pages', { one: id, many: [id, id], card: { front: id } })
      expect(await referring(id)).toEqual([
        4,
        `Album ${album.id} cover`,
        `Page ${page.id} card`,
        `Page ${page.id} many`,
        `Page ${page.id} one`,
      ])
      const refused = await remove(id)
      expect(told(refused)).toEqual([409, 'MEDIA_REFERENCED'])
      expect(JSON.stringify(refused.body)).toContain('4 references')
      const free = await item()
      const { body } = await shelf().send('POST', `${MEDIA}/bulk-delete`, { ids: [id, free.id] })
      expect(body.data).toEqual({ deleted: 1, skipped: [id], not_found: [] })
      const orphans = async () =>
        (await shelf().send('GET', `${MEDIA}/orphans`)).body.data.items.map((one: any) => one.id)
      expect(await orphans()).not.toContain(id)
      await shelf().send('PATCH', `${BASE}/pages/${page.id}`, { one: null, many: [], card: null })
      await shelf().send('PATCH', `${BASE}/albums/${album.id}`, { cover: null })
      expect(await orphans()).toContain(id)
      expect((await remove(id)).status).toBe(204)
    })

    it('C2.6: references are told to who may get the record and read the field', async () => {
      await shelf().server.submit(guarded)
      const base = '/api/v1/guarded'
      const { id } = await shelf().item({ base })
      const { id: owner, token: own } = await shelf().server.account('olga')
      const { token: clerk } = await shelf().server.account('cleo', ['clerk'])
      const { token: boss } = await shelf().server.account('bob', ['clerk', 'boss'])
      const { token: nobody } = await shelf().server.account('nils')
      const made = await shelf().send('POST', `${base}/albums`, { cover: id, userId: owner }, own)
      const gone = await shelf().send('POST', `${base}/albums`, { cover: id }, clerk)
      await shelf().send('DELETE', `${base}/albums/${gone.body.data.id}`)
      await shelf().server.submit(
        guarded.replace("version: '1'", "version: '2'").replace('read: [boss]', 'read: ["*"]'),
      )
      await shelf().send('PATCH', `${base}/albums/${made.body.data.id}`, { owned: id })
      await shelf().server.submit(guarded.replace("version: '1'", "version: '3'"))
      const seen = async (token: string) => {
        const { data } = (await shelf().send('GET', `${base}/media/${id}`, undefined, token)).body
        return [data.reference_count, data.references.map(({ field_name }: any) => field_name)]
      }
      expect(await seen(nobody)).toEqual([3, []])
      expect(await seen(own)).toEqual([3, ['cover']])
      expect(await seen(clerk)).toEqual([3, ['cover']])
      expect(await seen(boss)).toEqual([3, ['cover', 'owned']])
    })

    it('C2.11: a deleted record that may come back keeps its references, one that is gone does not', async () => {
      const [one, two] = [await item(), await item()]
      const album = await post('/albums', { cover: one.id })
      await post('/pages', { one: two.id, albumId: album.id })
      await shelf().send('DELETE', `${BASE}/albums/${album.id}`)
      expect([(await referring(one.id))[0], (await referring(two.id))[0]]).toEqual([1, 1])
      expect(told(await remove(two.id))).toEqual([409, 'MEDIA_REFERENCED'])
      const box = await post('/boxes', { cover: one.id })
      await post('/things', { pictures: [two.id], boxId: box.id })
      expect([(await referring(one.id))[0], (await referring(two.id))[0]]).toEqual([2, 2])
      await shelf().send('DELETE', `${BASE}/boxes/${box.id}`)
      expect([(await referring(one.id))[0], (await referring(two.id))[0]]).toEqual([1, 1])
    })

    it('C2.12: a revert to an item that is gone is refused', async () => {
      const { id } = await item()
      const album = await post('/albums', { cover: id })
      await shelf().send('PATCH', `${BASE}/albums/${album.id}`, { cover: null })
      expect((await remove(id)).status).toBe(204)
      const back = await shelf().send('POST', `${BASE}/albums/${album.id}/revert`, { version: 1 })
      expect(told(back)).toEqual([422, 'VALIDATION_ERROR', 'cover: reference'])
    })

    it('C2.13: an erase takes away the items that nothing else refers to, with their bytes', async () => {
      const [only, shared, kept] = [await item(), await item(), await item()]
      const album = await post('/albums', { cover: only.id })
      const page = await post('/pages', { one: only.id, many: [shared.id], card: { front: kept.id } })
      await post('/boxes', { cover: shared.id })
      const erase = (path: string, name: string, key: string, values: Record<string, null>) => {
        probing.probe = (data) => {
          const resource = data.model.resources.get(name)!
          return data.write({ caller: SYSTEM }, (writes) =>
            writes.record({ kind: 'overwrite', resource, key, values }),
          )
        }
        return shelf().send('POST', `${BASE}/${path}/probe`)
      }
      await erase('pages', 'Page', page.id, { one: null, many: null })
      expect([await referring(only.id), (await referring(shared.id))[0]]).toEqual([
        [1, `Album ${album.id} cover`],
        1,
      ])
      await erase('albums', 'Album', album.id, { cover: null })
      expect((await shelf().send('GET', `${MEDIA}/${only.id}`)).status).toBe(404)
      expect((await shelf().ask('GET', only.path)).status).toBe(404)
      expect((await shelf().ask('GET', kept.path)).status).toBe(200)
    })

    it('C2.11: a definition that turns, renames or drops a field leaves references as if all records were new', async () => {
      const { id } = await item()
      await post('/albums', { cover: id, note: id })
      await post('/pages', { one: id, body: [{ type: 'teaser', data: { picture: id } }] })
      const moves: readonly Partial<Shape>[] = [
        { note: 'media' },
        { cover: 'front', pages: 'Leaf' },
        { picture: 'string' },
        { extra: id },
        { note: 'string', extra: undefined, one: '{ type: media, maxItems: 9 }' },
      ]
      const counts = [1, 0, -1, undefined, undefined]
      let shape: Shape = FIRST
      const { kernel } = shelf().server
      const look = async (now: Shape) => {
        const found = await foundReferences(kernel, 'albums', (...place) => holdsItems(now, ...place))
        expect(await keptReferences(kernel, 'albums')).toEqual(found)
        return found.filter((line) => line.endsWith(id)).length
      }
      let before = await look(shape)
      for (const [at, move] of moves.entries()) {
        const next = { ...shape, ...move }
        const content = albums(next, `1.${at}`)
        const preview = await shelf().send('POST', '/api/v1/domains/albums/preview', { content })
        expect(JSON.stringify(preview.body.data)).toContain('"retrace"')
        await shelf().server.submit(content, { allow_destructive: true })
        const count = await look(next)
        const change = counts[at]
        if (change !== undefined) expect(count - before).toBe(change)
        const former = await shelf().send('POST', '/api/v1/domains/albums/rollback', {})
        expect(former.status).toBe(200)
        // What was dropped with its values stays lost.
        if (at < 4) expect(await look(shape)).toBe(before)
        else await look(shape)
        await shelf().server.submit(content, { allow_destructive: true })
        expect(await look(next)).toBe(count)
        ;[shape, before] = [next, count]
      }
      await shelf().server.submit(albums(FIRST, '2'), { allow_destructive: true })
      await look(FIRST)
    })

    it(`C2.12: of a deletion and a write that refers to the item one is refused, in ${ROUNDS} rounds`, async () => {
      const { database, clock, admin: token } = shelf().server
      const files = shelf().place.config
      const second = await startSecond(database, clock, [createProbing().plugin], { files })
      try {
        const outcomes = { deleted: 0, attached: 0 }
        // Who has lost gets a longer start: so they stay close to each other, and both happen to win.
        const start = { deleting: 1, attaching: 1 }
        for (let round = 0; round < ROUNDS; round += 1) {
          const { id } = await item()
          const isMany = round % 2 === 1
          const deleting = () =>
            isMany
              ? shelf().send('POST', `${MEDIA}/bulk-delete`, { ids: [id] })
              : shelf().send('DELETE', `${MEDIA}/${id}`)
          const attaching = () =>
            second.request('POST', `${BASE}/boxes`, { token, body: { cover: id } as object })
          const [attached, deleted] = (await Promise.all([
            after(start.deleting, attaching),
            after(start.attaching, deleting),
          ])) as [Answer, Answer]
          const isGone = isMany ? deleted.body.data.deleted === 1 : deleted.status === 204
          outcomes[isGone ? 'deleted' : 'attached'] += 1
          const [loser, winner] = isGone
            ? (['attaching', 'deleting'] as const)
            : (['deleting', 'attaching'] as const)
          start[loser] = Math.min(start[loser] * 4, 100_000)
          start[winner] = Math.max(1, Math.floor(start[winner] / 4))
          if (isGone) expect(told(attached)).toEqual([422, 'VALIDATION_ERROR', 'cover: reference'])
          else
            expect([attached.status, deleted.body.error_code]).toEqual([
              201,
              isMany ? undefined : 'MEDIA_REFERENCED',
            ])
          expect((await shelf().send('GET', `${MEDIA}/${id}`)).status).toBe(isGone ? 404 : 200)
        }
        expect(outcomes.deleted, JSON.stringify(outcomes)).toBeGreaterThan(0)
        expect(outcomes.attached, JSON.stringify(outcomes)).toBeGreaterThan(0)
      } finally {
        await second.stop()
      }
    })
  })
