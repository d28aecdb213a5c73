import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { at, CLINIC } from './clinic.ts'

for (const store of STORES) {
  describe(`records with their neighbours on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: CLINIC })
    let vet: TestAccount
    let ann: TestAccount
    let bob: TestAccount
    const made: Record<string, string> = {}

    const send = (method: string, path: string, who: TestAccount, body?: unknown, headers = {}) =>
      server().request(method, path, { token: who.token, headers, ...(body !== undefined && { body }) })
    const make = async (plural: string, body: object, who = vet): Promise<string> => {
      const answer = await send('POST', at(plural), who, body)
      expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ status: 'ok' })
      return answer.body.data.id
    }
    const read = async (path: string, who: TestAccount) => (await send('GET', path, who)).body.data
    const code = async (...args: Parameters<typeof send>) => {
      const { status, body } = await send(...args)
      return [status, body?.error_code]
    }

    beforeAll(async () => {
      vet = await server().account('vet', ['vet'])
      ann = await server().account('ann', [])
      bob = await server().account('bob', [])
      made['annHome'] = await make('households', { name: 'A', city: 'Aix', userId: ann.id })
      made['bobHome'] = await make('households', { name: 'B', city: 'Bonn', userId: bob.id })
      made['rex'] = await make('animals', {
        name: 'rex',
        weight: 40,
        chip: 'c1',
        householdId: made['annHome'],
      })
      made['tom'] = await make('animals', {
        name: 'tom',
        weight: 4,
        chip: 'c2',
        householdId: made['bobHome'],
      })
      made['one'] = await make('visits', { title: 'one', animalId: made['rex'], vetId: vet.id })
      made['two'] = await make('visits', { title: 'two', animalId: made['tom'] })
      made['three'] = await make('visits', { title: 'three' })
      await make('lines', { visitId: made['one'], sku: 'X2', qty: 2, price: 0.1, rank: 2, cost: 1 })
      await make('lines', { visitId: made['one'], sku: 'X1', qty: 1, price: 0.1, rank: 1, cost: 2 })
      const label = await make('labels', { text: 'urgent' })
      await send('POST', `${at('visits')}/${made['one']}/labels`, vet, { labelId: label })
    })

    it('[9.1] are worked out from what they belong to and from their lists', async () => {
      expect(await read(`${at('visits')}/${made['one']}`, vet)).toMatchObject({
        total: 0.3,
        gross: 0.36,
        animalName: 'rex',
        chip: 'c1',
        heavy: true,
        city: 'Aix',
        firstSku: 'X1',
        labelled: true,
        by: 'vet',
        mail: expect.stringContaining('@'),
      })
      expect(await read(`${at('visits')}/${made['three']}`, vet)).toMatchObject({
        total: 0,
        animalName: null,
        city: null,
        firstSku: null,
        labelled: false,
      })
    })

    it('[9.1] have no part in those that are gone', async () => {
      const home = await make('households', { name: 'C', city: 'Cork', userId: ann.id })
      const cat = await make('animals', { name: 'cat', householdId: home })
      const visit = await make('visits', { title: 'gone', animalId: cat })
      expect(await read(`${at('visits')}/${visit}`, vet)).toMatchObject({ animalName: 'cat', city: 'Cork' })
      await send('DELETE', `${at('households')}/${home}`, vet)
      expect(await read(`${at('visits')}/${visit}`, vet)).toMatchObject({ animalName: 'cat', city: null })
      expect(await code('GET', `${at('visits')}/${visit}`, ann)).toEqual([403, 'FORBIDDEN'])
      await send('DELETE', `${at('animals')}/${cat}`, vet)
      expect(await read(`${at('visits')}/${visit}`, vet)).toMatchObject({ animalName: null })
      await send('DELETE', `${at('visits')}/${visit}`, vet)
    })

    it('[9.2] are listed, read, changed and removed by those whom their neighbours name', async () => {
      const titles = async (who: TestAccount) =>
        (await read(`${at('visits')}?sort=title`, who)).items.map(({ title }: { title: string }) => title)
      expect(await titles(vet)).toEqual(['one', 'three', 'two'])
      expect(await titles(ann)).toEqual(['one'])
      expect(await titles(bob)).toEqual(['two'])
      expect((await read(`${at('visits')}/count`, ann)).total).toBe(1)
      expect(await code('GET', `${at('visits')}/${made['one']}`, ann)).toEqual([200, undefined])
      expect(await code('GET', `${at('visits')}/${made['one']}`, bob)).toEqual([403, 'FORBIDDEN'])
      expect(await code('PATCH', `${at('visits')}/${made['one']}`, ann, { note: 'x' })).toEqual([
        200,
        undefined,
      ])
      expect(await code('PATCH', `${at('visits')}/${made['one']}`, bob, { note: 'x' })).toEqual([
        403,
        'FORBIDDEN',
      ])
      expect(await code('PATCH', `${at('visits')}/${made['one']}`, bob, { note: 5 })).toEqual([
        403,
        'FORBIDDEN',
      ])
      expect(await code('DELETE', `${at('visits')}/${made['one']}`, ann)).toEqual([403, 'FORBIDDEN'])
    })

    it('[9.2] are made by those whom the keys of the body lead to', async () => {
      const path = at('visits')
      expect(await code('POST', path, ann, { title: 'hers', animalId: made['rex'] })).toEqual([
        201,
        undefined,
      ])
      expect(await code('POST', path, ann, { title: 'not hers', animalId: made['tom'] })).toEqual([
        403,
        'FORBIDDEN',
      ])
      expect(await code('POST', path, ann, { title: 'nobodys' })).toEqual([403, 'FORBIDDEN'])
      const bulk = await send('POST', `${path}/bulk`, ann, {
        items: [
          { title: 'b1', animalId: made['rex'] },
          { title: 'b2', animalId: made['tom'] },
        ],
      })
      expect(bulk.body.data).toMatchObject({
        created: 1,
        failed: 1,
        errors: [{ index: 1, error_code: 'FORBIDDEN' }],
      })
      expect(bulk.body.data.items[0]).toMatchObject({ animalName: 'rex', total: 0 })
    })

    it('[9.2] are judged as they are stored, and validated as they will be', async () => {
      const dead = await make('animals', { name: 'dead', alive: false, householdId: made['annHome'] })
      const fixed = await make('animals', { name: 'fixed', householdId: made['annHome'] })
      const visit = await make('visits', { title: 'v', animalId: made['rex'] })
      const path = `${at('visits')}/${visit}`
      const moved = await send('PATCH', path, ann, { animalId: dead })
      expect([moved.status, moved.body.errors]).toEqual([
        422,
        [{ field: 'animalId', rule: 'living', message: 'The animal is gone' }],
      ])
      expect(await code('POST', at('visits'), vet, { animalId: dead })).toEqual([422, 'VALIDATION_ERROR'])
      expect(await code('PATCH', path, ann, { animalId: made['tom'] })).toEqual([200, undefined])
      expect(await code('PATCH', path, ann, { animalId: made['rex'] })).toEqual([403, 'FORBIDDEN'])
      expect(await code('PATCH', path, vet, { animalId: fixed })).toEqual([200, undefined])
      expect(await code('PATCH', path, vet, { animalId: made['rex'] })).toEqual([422, 'VALIDATION_ERROR'])
    })

    it('[9.2] change their state where guards and permissions of neighbours let them', async () => {
      const visit = await make('visits', { title: 'g', animalId: made['rex'] })
      const path = `${at('visits')}/${visit}`
      expect(await code('POST', `${path}/transitions/bill`, vet)).toEqual([403, 'GUARD_FAILED'])
      expect(await code('PATCH', path, vet, { status: 'billed' })).toEqual([403, 'GUARD_FAILED'])
      expect((await read(`${path}?include=_permissions`, vet))['_permissions'].transitions).toEqual([])
      expect((await read(`${path}?include=_permissions`, ann))['_permissions'].transitions).toEqual(['skip'])
      await make('lines', { visitId: visit, sku: 'Y', qty: 5, price: 1 })
      expect((await read(`${path}?include=_permissions`, vet))['_permissions'].transitions).toEqual(['bill'])
      expect(await code('POST', `${path}/transitions/skip`, vet)).toEqual([403, 'FORBIDDEN'])
      expect(await code('POST', `${path}/transitions/bill`, vet)).toEqual([200, undefined])
      expect(await code('PATCH', path, vet, { note: 'no' })).toEqual([403, 'FORBIDDEN'])
      expect((await read(`${path}?include=_permissions`, vet))['_permissions'].operations).not.toContain(
        'update',
      )
    })

    it('[9.3] show what is worked out as far as the caller may read', async () => {
      const seen = await read(`${at('visits')}/${made['one']}`, ann)
      expect(seen).toMatchObject({
        animalName: 'rex',
        chip: null,
        city: 'Aix',
        labelled: false,
        by: 'vet',
        mail: null,
      })
      await send('PATCH', `${at('animals')}/${made['rex']}`, vet, { householdId: made['annHome'] })
      const homeless = await make('animals', { name: 'stray' })
      expect(await code('PATCH', `${at('animals')}/${homeless}`, vet, { name: 'x' })).toEqual([
        403,
        'FORBIDDEN',
      ])
      expect(await read(`${at('animals')}/${made['rex']}`, ann)).toMatchObject({
        city: 'Aix',
        visitCount: expect.any(Number),
      })
    })

    it('[9.4] cost no statement for each record', async () => {
      const { items } = await read(`${at('visits')}?fields=title,total,animalName`, vet)
      expect(items.find(({ title }: { title: string }) => title === 'one')).toMatchObject({
        total: 0.3,
        animalName: 'rex',
      })
      const ignored = await send('GET', `${at('visits')}?sort=total&filter[total]=1`, vet)
      expect(ignored.body.warnings).toHaveLength(2)
      expect((await send('GET', `${at('visits')}/export`, vet)).body).toContain('0.3')
      const households = await read(`${at('households')}?include=animals`, vet)
      expect(JSON.stringify(households.items)).toContain('"city":"Aix","heavy":true')
    })

    it('[2.8] carry a tag that changes with what they are worked out from', async () => {
      const visit = await make('visits', { title: 'tag', animalId: made['rex'] })
      const path = `${at('visits')}/${visit}`
      const first = await send('GET', path, vet)
      const tag = first.headers.get('etag') ?? ''
      expect((await send('GET', path, vet, undefined, { 'If-None-Match': tag })).status).toBe(304)
      await make('lines', { visitId: visit, sku: 'Z', qty: 1, price: 9 })
      const second = await send('GET', path, vet, undefined, { 'If-None-Match': tag })
      expect([second.status, second.body.data.total]).toEqual([200, 9])
      expect((await send('PATCH', path, vet, { note: 'a' }, { 'If-Match': tag })).status).toBe(200)
      expect((await send('PATCH', path, vet, { note: 'a' }, { 'If-Match': tag })).status).toBe(412)
    })
  })
}
