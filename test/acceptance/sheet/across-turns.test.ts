import { DomainsCapability } from '@svc/domain/contract'
import { StoreCapability } from '@svc/store/contract'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = `permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }`
const pair = (looked: string, looking: string) => `
    ${looked}:
      object: { code: { type: string, primaryKey: true }, price: decimal }
      ${OPEN}
    ${looking}:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { code: { type: string, primaryKey: true } }
      computed: { price: { type: decimal, expression: "lookup('${looked}', code, 'price')" } }
      ${OPEN}
`
const DEFINITION = `
domain:
  name: stand
  version: '1'
  resources: ${pair('Rate', 'Job')}${pair('Fee', 'Loan')}
    Order:
      object: { number: { type: string, primaryKey: true } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], delete: ['*'] }
    Line:
      object: { id: { type: string, primaryKey: true }, amount: integer }
      relationships: { order: { type: belongsTo, target: Order, foreignKey: orderNumber, onDelete: cascade } }
      ${OPEN}
    Board:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { name: { type: string, primaryKey: true } }
      computed: { sum: { type: integer, expression: "aggregate('Line', 'sum', 'amount')" } }
      ${OPEN}
`

/** There is one writer at a time on the other store. */
for (const store of STORES.filter(({ name }) => name === 'postgres'))
  describe(`turns of writes on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `/api/v1/stand/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })

    /**
     * Runs `work` while a record is held, which is handed what begins writes and waits until so many of them wait for a lock. Tells
     * what was answered meanwhile and afterwards. Of two that waited for each other, either may be answered first.
     */
    async function whileHeld(resource: string, key: string, work: (later: Later) => Promise<void>) {
      const { table } = server().kernel.get(DomainsCapability).model('stand')!.resources.get(resource)!
      const [column] = table.primaryKey
      const looker = new Client(String(Object(server().database.config()['postgres']).conninfo))
      await looker.connect()
      const waiting = async () => {
        const asked =
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
        return (await looker.query(asked)).rows.length
      }
      const answered: string[] = []
      let meanwhile = 0
      const pending: Promise<unknown>[] = []
      const done = async (method: string, path: string, body?: unknown) =>
        answered.push(`${path} ${(await send(method, path, body)).status}`)
      try {
        await server()
          .kernel.get(StoreCapability)
          .transaction(async (transaction) => {
            const where = { op: 'eq', column: column!, value: key } as const
            await transaction.select({ table, columns: [column!], where, order: [], lock: true })
            await work({
              done,
              async waits(...write) {
                const others = pending.push(done(...write)) - 1
                await expect.poll(waiting).toBe(others + 1)
              },
            })
            meanwhile = answered.length
          })
      } finally {
        await Promise.all(pending)
        await looker.end()
      }
      return { meanwhile: answered.slice(0, meanwhile), afterwards: answered.slice(meanwhile).sort() }
    }

    it('[11.7] writes wait for each other where formulas lead from the one to the other, and nowhere else', async () => {
      await send('POST', 'rates', { code: 'a', price: 1 })
      await send('POST', 'fees', { code: 'a', price: 1 })
      const written = await whileHeld('Rate', 'a', async ({ done, waits }) => {
        await waits('PATCH', 'rates/a', { price: 2 })
        await waits('POST', 'jobs', { code: 'a' })
        await done('PATCH', 'fees/a', { price: 2 })
        await done('POST', 'loans', { code: 'a' })
      })
      expect(written).toEqual({
        meanwhile: ['fees/a 200', 'loans 201'],
        afterwards: ['jobs 201', 'rates/a 200'],
      })
      expect((await send('GET', 'jobs/a')).body.data.price).toBe(2)
    })

    it('[11.7] so they do for what goes along with a record that nothing looks into', async () => {
      await send('POST', 'orders', { number: 'o' })
      await send('POST', 'lines', { id: 'l', amount: 5, orderNumber: 'o' })
      const written = await whileHeld('Line', 'l', async ({ waits }) => {
        await waits('DELETE', 'orders/o')
        await waits('POST', 'boards', { name: 'b' })
      })
      expect(written).toEqual({ meanwhile: [], afterwards: ['boards 201', 'orders/o 204'] })
      expect((await send('GET', 'boards/b')).body.data.sum).toBe(0)
    })
  })

type Write = readonly [method: string, path: string, body?: unknown]

interface Later {
  /** Writes, and waits for the answer. */
  done(...write: Write): Promise<unknown>
  /** Begins a write that cannot go on. */
  waits(...write: Write): Promise<void>
}
