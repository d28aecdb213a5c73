import type { Column, Table } from '@svc/store/contract'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { createProbing } from '../blocks/probe.ts'

const DEFINITION = `
domain:
  name: yard
  version: '1.0.0'
  resources:
    Owner:
      features: { softDelete: true }
      object: { name: string, city: string, purse: integer, accountId: uuid, deletedAt: datetime }
      permissions:
        list: [keeper]
        get: ['*']
        create: [keeper]
        update: [keeper]
        delete: [keeper]
        fields: { purse: { read: [keeper] } }
    Mule:
      probe: { tables: true, narrow: true }
      object: { name: string, age: integer }
      relationships: { owner: { type: belongsTo, target: Owner } }
      permissions: { list: ['*'], get: ['*'], create: [keeper] }
    Load:
      features: { caching: true }
      object: { title: string }
      relationships: { mule: { type: belongsTo, target: Mule } }
      computed: { muleName: mule.name, city: mule.owner.city }
      permissions:
        list: ['*']
        get: ['*']
        create: "hasRole('keeper') or mule.owner.accountId == user.id"
        update: 'mule.age < 10'
        delete: 'mule == null'
    Horse:
      features: { softDelete: true }
      object: { name: string, age: integer, deletedAt: datetime }
      relationships:
        owner: { type: belongsTo, target: Owner }
        rides: { type: hasMany, target: Ride, foreignKey: horseId }
      permissions: { list: ['*'], get: ['*'], create: [keeper], update: [keeper], delete: [keeper] }
    Ride:
      features: { caching: true }
      object: { title: string, minutes: integer }
      relationships:
        horse: { type: belongsTo, target: Horse }
        fees: { type: hasMany, target: Fee, foreignKey: rideId }
      computed:
        city: horse.owner.city
        purse: horse.owner.purse
        horseName: horse.name
        due: sum(fees.amount)
      permissions:
        list: ['*']
        get: ['*']
        create: "hasRole('keeper') or horse.owner.accountId == user.id"
        update: "hasRole('keeper') or horse.owner.accountId == user.id"
        delete: [keeper]
      history:
        events:
          local: { on: create, label: 'In town', condition: horse.owner.city == 'Bath' }
          costly: { on: update, label: 'Costly', condition: 'sum(fees, amount) > 10' }
          moved: { on: update, label: 'Moved', condition: 'previous.horse.owner.city != horse.owner.city' }
    Fee:
      object: { amount: integer }
      relationships: { ride: { type: belongsTo, target: Ride } }
      permissions: { list: ['*'], get: ['*'], create: [keeper], update: [keeper], delete: [keeper] }
    Show:
      features: { caching: true }
      object: { title: string }
      relationships:
        horse: { type: belongsTo, target: Horse }
      computed: { horseName: horse.name }
      permissions:
        list: ['*']
        get: ['*']
        create: [keeper]
        update: 'horse.age < 10'
        delete: 'horse == null'
    Album:
      features: { caching: true }
      object: { title: string }
      relationships: { song: { type: belongsTo, target: Song } }
      permissions: { list: ['*'], get: ['*'], create: [keeper] }
    Disc:
      features: { caching: true }
      object: { title: string }
      relationships: { song: { type: belongsTo, target: Song } }
      permissions: { list: ['*'], get: song.singer.tours, create: [keeper] }
    Song:
      object: { name: string }
      relationships: { singer: { type: belongsTo, target: Singer } }
      permissions: { list: ['*'], get: ['*'], create: [keeper] }
    Singer:
      object: { name: string, until: datetime, accountId: uuid }
      computed: { tours: { type: boolean, expression: until > now() } }
      permissions: { list: accountId == user.id, get: ['*'], create: [keeper] }
    Stable:
      features: { caching: true }
      object: { title: string }
      relationships:
        owner: { type: belongsTo, target: Owner }
      computed: { city: owner.city, purse: owner.purse }
      permissions: { list: ['*'], get: ['*'], create: [keeper] }
`
const at = (plural: string): string => `/api/v1/yard/${plural}`
const column = (name: string): Column => ({ name, kind: 'uuid', nullable: false })
const ID = column('id')
const LOCKED: Table = { name: 'yard_locked', columns: [ID], primaryKey: [ID], indexes: [], foreignKeys: [] }

for (const store of STORES) {
  describe(`what is said of neighbours on ${store.name}`, () => {
    const probing = createProbing({ locked: LOCKED })
    const server = useTestKernel({ store, plugins: [probing.plugin], definition: DEFINITION })
    let keeper: TestAccount
    let ann: TestAccount
    const made: Record<string, string> = {}

    const send = (method: string, path: string, who?: TestAccount, body?: unknown) =>
      server().request(method, path, {
        ...(who && { token: who.token }),
        ...(body !== undefined && { body }),
      })
    const make = async (plural: string, body: object): Promise<string> => {
      const answer = await send('POST', at(plural), keeper, body)
      expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ status: 'ok' })
      return answer.body.data.id
    }
    const read = async (path: string, who?: TestAccount) => (await send('GET', path, who)).body.data
    const change = async (path: string, body: object, who = keeper) =>
      (await send('PATCH', path, who, body)).status
    const lock = (...ids: readonly string[]) => {
      probing.part = {
        narrow: (resource, operation) =>
          operation === 'list' || operation === 'get'
            ? { rows: { op: 'not', of: { op: 'in', column: resource.key.column!, values: ids } } }
            : undefined,
      }
    }

    beforeAll(async () => {
      keeper = await server().account('keeper', ['keeper'])
      ann = await server().account('ann', [])
      made['bath'] = await make('owners', { name: 'B', city: 'Bath', purse: 7, accountId: ann.id })
      made['york'] = await make('owners', { name: 'Y', city: 'York', purse: 9 })
      made['star'] = await make('horses', { name: 'star', age: 5, ownerId: made['bath'] })
      made['moon'] = await make('horses', { name: 'moon', age: 12, ownerId: made['york'] })
    })
    afterEach(() => void (probing.part = {}))

    it('[9.2] decides which events of history are noted', async () => {
      const ride = await make('rides', { title: 'r', horseId: made['star'] })
      const path = `${at('rides')}/${ride}`
      const events = async () =>
        (await read(`${path}/history`, keeper)).items.map(({ event }: { event: string }) => event).toSorted()
      expect(await events()).toEqual(['local'])
      expect(await change(path, { title: 's' })).toBe(200)
      expect(await events()).toEqual(['local'])
      await make('fees', { amount: 11, rideId: ride })
      expect(await change(path, { title: 't' })).toBe(200)
      expect(await events()).toEqual(['costly', 'local'])
      expect(await change(path, { horseId: made['moon'] })).toBe(200)
      expect(await events()).toEqual(['costly', 'costly', 'local', 'moved'])
      const other = await make('rides', { title: 'o', horseId: made['moon'] })
      expect(await read(`${at('rides')}/${other}/history`, keeper)).toMatchObject({ items: [] })
    })

    it('[4.14] is never kept past a write of a neighbour, at any distance', async () => {
      const owner = await make('owners', { name: 'N', city: 'Hull' })
      const horse = await make('horses', { name: 'near', ownerId: owner })
      const ride = await make('rides', { title: 'k', horseId: horse })
      const path = `${at('rides')}/${ride}`
      const seen = async () => {
        const first = await read(path, ann)
        expect(await read(path, ann)).toEqual(first)
        const listed = (await read(`${at('rides')}?filter[title]=k`, ann)).items[0]
        expect(listed).toEqual(first)
        return [first.horseName, first.city, first.due]
      }
      expect(await seen()).toEqual(['near', 'Hull', 0])
      await change(`${at('owners')}/${owner}`, { city: 'Leeds' })
      expect(await seen()).toEqual(['near', 'Leeds', 0])
      const fee = await make('fees', { amount: 4, rideId: ride })
      expect(await seen()).toEqual(['near', 'Leeds', 4])
      await send('DELETE', `${at('fees')}/${fee}`, keeper)
      await change(`${at('horses')}/${horse}`, { name: 'far' })
      expect(await seen()).toEqual(['far', 'Leeds', 0])
      await send('DELETE', `${at('owners')}/${owner}`, keeper)
      expect(await seen()).toEqual(['far', null, 0])
      await send('POST', `${at('owners')}/${owner}/restore`, keeper, {})
      expect(await seen()).toEqual(['far', 'Leeds', 0])
    })

    it('[4.14] is never kept for callers of other rights', async () => {
      const stable = await make('stables', { title: 's', ownerId: made['bath'] })
      for (const path of [`${at('stables')}/${stable}`, `${at('stables')}?filter[title]=s`]) {
        const shown = async (who?: TestAccount) => {
          const data = await read(path, who)
          const { city, purse } = data.items?.[0] ?? data
          return [city, purse]
        }
        expect(await shown(keeper)).toEqual(['Bath', 7])
        expect(await shown(ann)).toEqual(['Bath', null])
        expect(await shown()).toEqual(['Bath', null])
        expect(await shown(keeper)).toEqual(['Bath', 7])
      }
    })

    it('[4.14] is never kept for others of the same roles where its own neighbours differ for them', async () => {
      const bob = await server().account('bob', [])
      const singer = await make('singers', { name: 'lou', accountId: ann.id })
      const song = await make('songs', { name: 'x', singerId: singer })
      await make('albums', { title: 'a', songId: song })
      for (const query of ['filter[song.singer.name]=lou', 'filter[song.singer.name][like]=l']) {
        const count = async (who: TestAccount) => (await read(`${at('albums')}?${query}`, who)).count
        expect([await count(ann), await count(bob), await count(ann)]).toEqual([1, 0, 1])
      }
    })

    it('[4.14] is not kept where the time decides who may see it', async () => {
      const until = new Date(server().clock.now() + 60_000).toISOString()
      const singer = await make('singers', { name: 'ida', until })
      const song = await make('songs', { name: 'y', singerId: singer })
      const path = `${at('discs')}/${await make('discs', { title: 'b', songId: song })}`
      expect((await send('GET', path, ann)).status).toBe(200)
      server().clock.advance(61_000)
      expect((await send('GET', path, ann)).status).toBe(403)
    })

    it('[9.5] is filtered and sorted by from kept answers that a write makes stale', async () => {
      const horse = await make('horses', { name: 'zz', age: 3 })
      await make('shows', { title: 'z', horseId: horse })
      const titles = async (query: string) =>
        (await read(`${at('shows')}?${query}`, ann)).items.map(({ title }: { title: string }) => title)
      expect(await titles('filter[horse.name]=zz')).toEqual(['z'])
      await change(`${at('horses')}/${horse}`, { name: 'zy' })
      expect(await titles('filter[horse.name]=zz')).toEqual([])
      expect(await titles('filter[horse.name]=zy&sort=horse.name')).toEqual(['z'])
    })

    it('[9.3] knows nothing of what a block keeps from everybody, and permissions go by it still', async () => {
      const mule = await make('mules', { name: 'ned', age: 5, ownerId: made['bath'] })
      const path = `${at('loads')}/${await make('loads', { title: 'l', muleId: mule })}`
      const asked = async () => [
        (await read(path, keeper)).muleName,
        (await read(path, keeper)).city,
        (await read(`${at('loads')}?filter[mule.name]=ned`, keeper)).count,
        (await read(`${at('loads')}?filter[mule.age][null]=true`, keeper)).count,
      ]
      expect(await asked()).toEqual(['ned', 'Bath', 1, 0])
      lock(mule)
      expect(await asked()).toEqual([null, null, 0, 1])
      expect(await change(path, { title: 'l' })).toBe(200)
      expect((await send('DELETE', path, keeper)).status).toBe(403)
      const byOwner = await send('POST', at('loads'), ann, { title: 'l', muleId: mule })
      const byOther = await send('POST', at('loads'), undefined, { title: 'l', muleId: mule })
      expect([byOwner.status, byOther.status]).toEqual([201, 401])
    })

    it('[9.1] is as if it were not there once it is soft-deleted, in permissions and queries alike', async () => {
      const horse = await make('horses', { name: 'old', age: 4, ownerId: made['bath'] })
      const show = await make('shows', { title: 'd', horseId: horse })
      const path = `${at('shows')}/${show}`
      const ride = await make('rides', { title: 'd', horseId: horse })
      expect(await change(path, { title: 'd' }, ann)).toBe(200)
      expect(await change(`${at('rides')}/${ride}`, { title: 'd' }, ann)).toBe(200)
      expect((await send('DELETE', path, ann)).status).toBe(403)
      await send('DELETE', `${at('horses')}/${horse}`, keeper)
      expect(await change(path, { title: 'e' }, ann)).toBe(403)
      expect(await change(`${at('rides')}/${ride}`, { title: 'e' }, ann)).toBe(403)
      expect((await read(`${at('shows')}?filter[horse.name]=old`, ann)).count).toBe(0)
      expect((await read(`${at('shows')}?filter[title]=d&filter[horse.name][null]=true`, ann)).count).toBe(1)
      expect((await read(`${at('rides')}/${ride}/history`, keeper)).items).toHaveLength(1)
      expect((await send('DELETE', path, ann)).status).toBe(204)
    })
  })
}
