import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const LAST = 40

/** Formulas each of which reads the two before it: the ways from the last one to the first are hundreds of millions. */
const chain = (stored: boolean) =>
  Object.fromEntries(
    Array.from({ length: LAST - 1 }, (_, at) => [
      `c${at + 2}`,
      { type: 'integer', expression: `c${at + 1} + c${at}`, stored },
    ]),
  )
const OPEN = Object.fromEntries(['list', 'get', 'create', 'update', 'export'].map((one) => [one, ['*']]))

const warren = (version: string, more: object = {}) =>
  JSON.stringify({
    domain: {
      name: 'warren',
      version,
      resources: {
        Rabbit: {
          object: { c0: 'integer', c1: 'integer', ...more },
          computed: chain(false),
          relationships: { burrow: { type: 'belongsTo', target: 'Burrow' } },
          permissions: OPEN,
          features: { export: true, audit: true },
          history: {
            events: { counted: { on: 'create', label: `counted {c${LAST}}`, capture: [`c${LAST}`] } },
          },
        },
        Burrow: {
          object: { c0: 'integer', c1: 'integer', ...more },
          computed: chain(true),
          relationships: { rabbits: { type: 'hasMany', target: 'Rabbit', foreignKey: 'burrowId' } },
          permissions: OPEN,
        },
        Ledger: {
          object: { name: 'string' },
          relationships: { rabbit: { type: 'belongsTo', target: 'Rabbit' } },
          computed: { last: `rabbit.c${LAST}`, again: `last + rabbit.c${LAST - 1}` },
          permissions: OPEN,
        },
      },
    },
  })

for (const store of STORES)
  describe(`formulas that read one another on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: warren('1') })
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await server().request(method, `/api/v1/warren/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
      expect([path, answer.status, answer.body?.errors]).toEqual([
        path,
        method === 'POST' ? 201 : 200,
        undefined,
      ])
      return answer.body
    }

    it('are each looked at once, in what is read, told and migrated', async () => {
      const burrow = (await send('POST', 'burrows', { c0: 0, c1: 1 })).data
      expect(burrow[`c${LAST}`]).toBe(102_334_155)
      const rabbit = (await send('POST', 'rabbits', { c0: 0, c1: 1, burrowId: burrow.id })).data
      expect(rabbit[`c${LAST}`]).toBe(102_334_155)
      await send('POST', 'ledgers', { name: 'one', rabbitId: rabbit.id })
      const [line] = (await send('GET', 'ledgers')).data.items
      expect(line).toMatchObject({ last: 102_334_155, again: 102_334_155 + 63_245_986 })
      expect((await send('GET', 'rabbits?include=burrow')).data.items[0].burrow[`c${LAST}`]).toBe(102_334_155)
      expect((await send('GET', `rabbits/${rabbit.id}/history`)).data.items[0].label).toBe(
        'counted 102334155',
      )
      await server().submit(warren('2', { other: 'string' }))
      expect((await send('GET', `burrows/${burrow.id}`)).data[`c${LAST}`]).toBe(102_334_155)
    })
  })
