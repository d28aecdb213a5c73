import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestAnswer } from '../kit/request.ts'
import { STORES } from '../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../kit/test-kernel.ts'
import { IS_LONG, tell, timed, withoutRescue } from './attack.ts'

const OPEN = `{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }`
const cascade = (target: string) => `{ type: belongsTo, target: ${target}, onDelete: cascade }`
const DEPOT = `
domain:
  name: depot
  version: '1'
  resources:
    Hall:
      object: { name: string }
      permissions: ${OPEN}
    Shelf:
      object: { name: string }
      relationships:
        hall: ${cascade('Hall')}
        near: { type: belongsToMany, target: Shelf, through: Near, foreignKey: fromId, otherKey: toId }
      permissions: ${OPEN}
    Box:
      object: { name: string }
      relationships: { shelf: ${cascade('Shelf')} }
      permissions: ${OPEN}
    Room:
      features: { softDelete: true }
      object: { name: string, deletedAt: datetime }
      permissions: ${OPEN}
    Desk:
      features: { softDelete: true }
      object: { name: string, deletedAt: datetime }
      relationships: { room: ${cascade('Room')} }
      permissions: ${OPEN}
    Paper:
      features: { softDelete: true }
      object: { name: string, deletedAt: datetime }
      relationships: { desk: ${cascade('Desk')} }
      permissions: ${OPEN}
    Diary:
      object: { name: string }
      relationships: { keeper: ${cascade('User')} }
      permissions: ${OPEN}
    Page:
      object: { name: string }
      relationships: { diary: ${cascade('Diary')} }
      permissions: ${OPEN}
`
const BASE = '/api/v1/depot'
const ROUNDS = IS_LONG ? 20 : 3
const WIDTH = 4
const PATIENCE_MS = 120_000

type Ids = readonly string[]

for (const store of STORES) {
  describe(`writes that reach the same rows in other orders, where nobody ends a deadlock, on ${store.name}`, () => {
    let server: TestKernel
    beforeAll(async () => {
      server = await startTestKernel({ store: withoutRescue(store), definition: DEPOT })
    })
    afterAll(() => server.stop())

    const send = (method: string, path: string, body?: unknown, token?: string) =>
      server.request(method, `${BASE}/${path}`, {
        ...(body !== undefined && { body }),
        ...(token !== undefined && { token }),
      })
    async function make(path: string, items: readonly object[]): Promise<Ids> {
      const { body } = await send('POST', `${path}/bulk`, { items })
      expect(body.data.errors).toEqual([])
      return body.data.items.map(({ id }: { id: string }) => id)
    }
    /** A few children of each parent, the parents in turn, so that the order of keys is not that of the parents. */
    const children = (path: string, field: string, parents: Ids) =>
      make(
        path,
        Array.from({ length: WIDTH * parents.length }, (_, at) => ({
          [field]: parents[(at * (WIDTH - 1)) % parents.length],
        })),
      )
    const rename = (path: string, ids: Ids) =>
      send('PATCH', `${path}/bulk`, { ids: ids.toReversed(), data: { name: 'other' } })
    const refused = (answers: readonly TestAnswer[]) => answers.filter(({ status }) => status >= 500)

    async function rounds(what: string, work: () => Promise<readonly TestAnswer[]>): Promise<void> {
      const { seconds } = await timed(async () => {
        for (let round = 0; round < ROUNDS; round += 1) expect(refused(await work())).toEqual([])
      })
      tell(`${store.name}, ${ROUNDS} rounds of ${what}`, seconds)
    }

    const depot = async () => {
      const halls = await make('halls', Array(WIDTH).fill({}))
      const shelves = await children('shelves', 'hallId', halls)
      return { halls, shelves, boxes: await children('boxes', 'shelfId', shelves) }
    }

    it('delete with all that goes along', { timeout: PATIENCE_MS }, async () => {
      await rounds('cascades', async () => {
        const { halls, shelves, boxes } = await depot()
        return Promise.all([
          send('DELETE', 'halls/bulk', { ids: halls.slice(0, 2).toReversed() }),
          rename('boxes', boxes),
          ...halls.slice(2).map((id) => send('DELETE', `halls/${id}`)),
          rename('shelves', shelves),
        ])
      })
      const { body } = await send('GET', 'boxes/count')
      expect(body.data.total).toBe(0)
    })

    it('make children of what others delete', { timeout: PATIENCE_MS }, async () => {
      await rounds('children', async () => {
        const halls = await make('halls', Array(WIDTH).fill({}))
        const items = halls.toReversed().map((hallId) => ({ hallId }))
        return Promise.all([
          send('POST', 'shelves/bulk', { items }),
          send('DELETE', 'halls/bulk', { ids: halls }),
          rename('halls', halls.toReversed()),
          send('POST', 'shelves/import', items.toReversed()),
        ])
      })
    })

    it('link both ways', { timeout: PATIENCE_MS }, async () => {
      await rounds('links', async () => {
        const shelves = await make('shelves', Array(WIDTH).fill({}))
        const pairs = shelves.flatMap((a) => shelves.map((b) => [a, b] as const))
        return Promise.all([
          ...pairs.map(([a, b]) => send('POST', `shelves/${a}/near`, { toId: b })),
          send('DELETE', 'shelves/bulk', { ids: shelves.toReversed() }),
          rename('shelves', shelves),
        ])
      })
    })

    it('restore with all that comes back', { timeout: PATIENCE_MS }, async () => {
      await rounds('restorations', async () => {
        const rooms = await make('rooms', Array(2).fill({}))
        const papers = await children('papers', 'deskId', await children('desks', 'roomId', rooms))
        await send('DELETE', 'rooms/bulk', { ids: rooms })
        return Promise.all([
          ...rooms.map((id) => send('POST', `rooms/${id}/restore`)),
          send('DELETE', 'papers/bulk', { ids: papers.toReversed() }),
          rename('papers', papers),
        ])
      })
    })

    it('remove an account with its records', { timeout: PATIENCE_MS }, async () => {
      let names = 0
      await rounds('removals of accounts', async () => {
        const { id, token } = await server.account(`keeper${(names += 1)}`)
        const diaries = await make('diaries', Array(WIDTH).fill({ keeperId: id }))
        const pages = await children('pages', 'diaryId', diaries)
        const removal = server.request('DELETE', '/api/v1/auth/account', { token })
        return Promise.all([removal, rename('pages', pages), rename('diaries', diaries)])
      })
      expect((await send('GET', 'pages/count')).body.data.total).toBe(0)
    })
  })
}
