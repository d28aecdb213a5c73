import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: stand
  version: '1'
  resources:
    Rate:
      object:
        code: { type: string, primaryKey: true }
        price: { type: decimal, required: true }
        cost: decimal
        note: string
      permissions:
        list: [mechanic, clerk, reader]
        get: [mechanic, clerk, reader]
        create: [mechanic]
        update: [mechanic]
        delete: [mechanic]
        fields: { cost: { read: [mechanic], write: [mechanic] } }
    Job:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true, overridable: [total] }
      object:
        bike: { type: string, required: true }
        code: string
        hours: { type: decimal, default: 1 }
        deletedAt: datetime
      computed:
        price: { type: decimal, expression: "lookup('Rate', code, 'price')" }
        total: { type: decimal, expression: hours * price }
        share: { type: decimal, expression: "total / aggregate('Job', 'sum', 'total', 'bike == $record.bike')" }
        margin: { type: decimal, expression: "total - hours * lookup('Rate', code, 'cost')" }
      features: { softDelete: true, audit: true, versioning: true }
      history:
        events:
          dearer: { on: fieldChange, field: total, label: '{user.name} moved the total to {newValue}' }
      permissions:
        list: [mechanic, clerk]
        get: [mechanic, clerk]
        create: [mechanic, clerk]
        update: [mechanic, clerk]
        delete: [mechanic]
    Bike:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object:
        name: { type: string, primaryKey: true }
      computed:
        spent: { type: decimal, expression: "aggregate('Job', 'sum', 'total', 'bike == $record.name')" }
        jobs: { type: integer, expression: "aggregate('Job', 'count', 'id', 'bike == $record.name and hours > 0')" }
        mean: { type: decimal, expression: "aggregate('Job', 'avg', 'total', 'bike == $record.name')" }
        most: { type: decimal, expression: "aggregate('Job', 'max', 'total', 'bike == $record.name')" }
        least: { type: decimal, expression: "aggregate('Job', 'min', 'total', 'bike == $record.name')" }
        class: { type: string, expression: "spent > 100 ? 'dear' : 'cheap'" }
      permissions: { list: ['*'], get: ['*'], create: [mechanic], update: [mechanic], delete: [mechanic] }
`

for (const store of STORES) {
  describe(`formulas across records on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    let mechanic: TestAccount
    let clerk: TestAccount
    beforeAll(async () => {
      mechanic = await server().account('mia', ['mechanic'])
      clerk = await server().account('cleo', ['clerk'])
    })
    const at = '/api/v1/stand'
    const send = (method: string, path: string, body?: unknown, token = mechanic.token) =>
      server().request(method, `${at}/${path}`, { token, ...(body !== undefined && { body }) })
    const data = async (method: string, path: string, body?: unknown, token = mechanic.token) => {
      const answer = await send(method, path, body, token)
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body?.data
    }

    it('[11.5] looks a record up by its key, and makes of many what a function says', async () => {
      await data('POST', 'rates', { code: 'basic', price: 10, cost: 4 })
      await data('POST', 'bikes', { name: 'red' })
      const first = await data('POST', 'jobs', { bike: 'red', code: 'basic', hours: 2 })
      expect(first).toMatchObject({ price: 10, total: 20, share: 1, margin: 12 })
      const second = await data('POST', 'jobs', { bike: 'red', code: 'basic', hours: 6 })
      expect(second).toMatchObject({ total: 60, share: 0.75 })
      expect(await data('GET', `jobs/${first.id}`)).toMatchObject({ share: 0.25 })
      expect(await data('GET', 'bikes/red')).toMatchObject({
        spent: 80,
        jobs: 2,
        mean: 40,
        most: 60,
        least: 20,
        class: 'cheap',
      })
      const nowhere = await data('POST', 'jobs', { bike: 'blue', code: 'none' })
      expect(nowhere).toMatchObject({ price: null, total: null, share: null })
      expect(await data('POST', 'bikes', { name: 'empty' })).toMatchObject({
        spent: 0,
        jobs: 0,
        mean: null,
        most: null,
        least: null,
      })
      await data('DELETE', `jobs/${second.id}`)
      expect(await data('GET', 'bikes/red')).toMatchObject({ spent: 20, jobs: 1 })
      expect(await data('GET', `jobs/${first.id}`)).toMatchObject({ share: 1 })
      await data('POST', `jobs/${second.id}/restore`)
      expect(await data('GET', 'bikes/red')).toMatchObject({ spent: 80, jobs: 2 })
    })

    it('[11.7] a change works dependents out in the same transaction, in their order and each once', async () => {
      const [job] = (await data('GET', 'jobs?filter[bike]=red&sort=hours')).items
      const before = await data('GET', `jobs/${job.id}`)
      await data('PATCH', 'rates/basic', { price: 20 })
      const after = await data('GET', `jobs/${job.id}`)
      expect(after).toMatchObject({ price: 20, total: 40, share: 0.25, margin: 32 })
      expect(await data('GET', 'bikes/red')).toMatchObject({ spent: 160, class: 'dear' })
      const { items } = await data('GET', `jobs/${job.id}/audit`)
      expect(items[0].changes).toMatchObject({ price: { from: 10, to: 20 }, total: { from: 20, to: 40 } })
      expect(before.price).toBe(10)
    })

    it('[11.8] a dependent that changes is an ordinary update in the name of the cause', async () => {
      const [job] = (await data('GET', 'jobs?filter[bike]=red&sort=hours')).items
      const before = await send('GET', `jobs/${job.id}`)
      const { items: old } = await data('GET', `jobs/${job.id}/audit`)
      await data('PATCH', 'rates/basic', { note: 'nobody reads it' })
      expect((await send('GET', `jobs/${job.id}`)).headers.get('etag')).toBe(before.headers.get('etag'))
      await data('PATCH', 'rates/basic', { price: 30 })
      expect((await send('GET', `jobs/${job.id}`)).headers.get('etag')).not.toBe(before.headers.get('etag'))
      const { items } = await data('GET', `jobs/${job.id}/audit`)
      expect(items).toHaveLength(old.length + 1)
      expect(JSON.stringify(items[0])).toContain('mia')
      const history = await data('GET', `jobs/${job.id}/history`)
      expect(history.items[0].label ?? JSON.stringify(history.items[0])).toContain('moved the total to 60')
      expect((await data('GET', `jobs/${job.id}/versions`)).items.length).toBeGreaterThan(0)
    })

    it('[11.6] who may not read all that a formula reads gets it worked out from the rest', async () => {
      const [job] = (await data('GET', 'jobs?filter[bike]=red&sort=hours')).items
      expect(await data('GET', `jobs/${job.id}`)).toMatchObject({ margin: 52, total: 60 })
      const seen = await data('GET', `jobs/${job.id}`, undefined, clerk.token)
      expect(seen).toMatchObject({ margin: null })
      const listed = await data('GET', 'jobs?filter[bike]=red&sort=hours', undefined, clerk.token)
      expect(listed.items[0]).toMatchObject({ margin: null, price: 30, total: 60 })
    })

    it('[11.6] an override names and looks into what its writer may', async () => {
      const [job] = (await data('GET', 'jobs?filter[bike]=red&sort=hours')).items
      const write = (source: string, token = mechanic.token) =>
        send('PATCH', `jobs/${job.id}`, { total_formula: source }, token)
      const cost = "hours * lookup('Rate', code, 'cost')"
      const refused = await write(cost, clerk.token)
      expect([refused.status, refused.body.errors?.[0]?.rule]).toEqual([422, 'expression'])
      expect((await write(cost)).body.data).toMatchObject({ total: 8, total_formula: cost })
      await data('PATCH', 'rates/basic', { cost: 5 })
      expect(await data('GET', `jobs/${job.id}`)).toMatchObject({ total: 10 })
      await data('PATCH', `jobs/${job.id}`, { total_formula: null })
      expect(await data('GET', `jobs/${job.id}`)).toMatchObject({ total: 60 })
    })

    it('[11.4] circles across records are judged by field, overrides among them', async () => {
      const [job] = (await data('GET', 'jobs?filter[bike]=red&sort=hours')).items
      for (const source of [
        "aggregate('Job', 'sum', 'total', 'bike == $record.bike')",
        "lookup('Bike', bike, 'spent')",
        'share * 2',
        "aggregate('Bike', 'count', 'class')",
      ]) {
        const answer = await send('PATCH', `jobs/${job.id}`, { total_formula: source })
        expect([source, answer.status, answer.body.errors?.[0]?.rule]).toEqual([source, 422, 'expression'])
      }
    })
  })
}
