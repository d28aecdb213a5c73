import { describe, expect, it } from 'vitest'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { useTestKernel } from '../kit/test-kernel.ts'

const ROUNDS = size('CROSSING_SHEETS', { smoke: 8, whole: 500 })

const OPEN = "permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }"
const DEFINITION = `
domain:
  name: stand
  version: '1'
  resources:
    Rate:
      object: { code: { type: string, primaryKey: true }, price: integer }
      ${OPEN}
    Job:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { code: string, hours: integer }
      computed: { total: { type: integer, expression: "hours * lookup('Rate', code, 'price')" } }
      ${OPEN}
    Sum:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { code: { type: string, primaryKey: true } }
      computed: { spent: { type: integer, expression: "aggregate('Job', 'sum', 'total', 'code == $record.code')" } }
      ${OPEN}
    Ring:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true, overridable: [one, other] }
      object: { key: { type: string, primaryKey: true } }
      computed: { one: { type: integer, expression: '1' }, other: { type: integer, expression: '2' } }
      ${OPEN}
`

for (const store of STORES)
  describe(`writes that cross each other in sheets on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `/api/v1/stand/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })

    it(
      '[11.7] neither of two that look at each other misses the other',
      async () => {
        await send('POST', 'rates', { code: 'a', price: 1 })
        await send('POST', 'sums', { code: 'a' })
        const { id } = (await send('POST', 'jobs', { code: 'a', hours: 1 })).body.data
        for (let round = 1; round <= ROUNDS; round += 1) {
          const answers = await Promise.all([
            send('PATCH', 'rates/a', { price: round }),
            send('POST', 'jobs', { code: 'a', hours: round }),
            send('POST', 'jobs', { code: 'a', hours: 2 }),
            send('PATCH', `jobs/${id}`, { hours: round }),
          ])
          expect(answers.map(({ status }) => status)).toEqual([200, 201, 201, 200])
          const { items } = (await send('GET', 'jobs?limit=500&sort=-createdAt')).body.data
          for (const job of items) expect(job.total).toBe(job.hours * round)
          if (items.length < 480) {
            const sum = items.reduce((total: number, job: any) => total + job.total, 0)
            expect((await send('GET', 'sums/a')).body.data.spent).toBe(sum)
          }
        }
      },
      60_000 + ROUNDS * 2_000,
    )

    it('[11.4] of two formulas that together close a circle one is refused', async () => {
      for (const key of ['k', 'l']) await send('POST', 'rings', { key })
      for (let round = 0; round < Math.min(ROUNDS, 50); round += 1) {
        const answers = await Promise.all([
          send('PATCH', 'rings/k', { one_formula: "aggregate('Ring', 'sum', 'other')" }),
          send('PATCH', 'rings/l', { other_formula: "aggregate('Ring', 'sum', 'one')" }),
        ])
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
        await send('PATCH', 'rings/k', { one_formula: null })
        await send('PATCH', 'rings/l', { other_formula: null })
      }
    })
  })

const ALONG = `
domain:
  name: along
  version: '1'
  resources:
    Order:
      object: { number: { type: string, primaryKey: true } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Line:
      object: { amount: integer, board: string }
      relationships: { order: { type: belongsTo, target: Order, foreignKey: orderNumber, onDelete: cascade } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Board:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { name: { type: string, primaryKey: true } }
      computed: { sum: { type: integer, expression: "aggregate('Line', 'sum', 'amount', 'board == $record.name')" } }
      ${OPEN}
`

for (const store of STORES)
  describe(`writes of many records that cross others in sheets on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: ALONG })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `/api/v1/along/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
    const lines = (orderNumber: string, board: string) =>
      send('POST', 'lines/bulk', {
        items: Array.from({ length: 20 }, (_, amount) => ({ orderNumber, board, amount })),
      })

    it(
      '[11.7] a record that looks misses neither what goes along with others nor what is written in bulk',
      async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const [gone, kept, board] = [`gone${round}`, `kept${round}`, `board${round}`]
          await send('POST', 'orders/bulk', { items: [{ number: gone }, { number: kept }] })
          await lines(gone, board)
          const answers = await Promise.all([
            send('DELETE', `orders/${gone}`),
            lines(kept, board),
            send('POST', 'boards', { name: board }),
          ])
          expect(answers.map(({ status }) => status)).toEqual([204, 201, 201])
          expect((await send('GET', `boards/${board}`)).body.data.sum).toBe(190)
        }
      },
      60_000 + ROUNDS * 2_000,
    )
  })
