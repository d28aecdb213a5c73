import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SecondServer, startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

process.env['SVC_DOMAIN_ELSEWHERE_KEY'] = `k1:${randomBytes(32).toString('base64')}`

const OPEN = { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
const thing = (object: object, computed: object = {}) => ({ permissions: OPEN, object, computed })
const total = (expression: string) => ({ total: { type: 'integer', expression, stored: true } })

interface Case {
  readonly before: object
  readonly after: object
  /** What is made before, and what the other server makes and changes right after the definition was. */
  readonly bodies: readonly [object, object, object]
  /** What both servers answer then, or the status by which a write is refused. */
  readonly made: object | number
  readonly changed: object | number
}

const CASES: Readonly<Record<string, Case>> = {
  formula: {
    before: thing({ price: 'integer' }, total('price * 2')),
    after: thing({ price: 'integer' }, total('price * 3')),
    bodies: [{ price: 1 }, { price: 2 }, { price: 5 }],
    made: { price: 2, total: 6 },
    changed: { price: 5, total: 15 },
  },
  sealed: {
    before: thing({ code: 'string', note: 'string' }),
    after: thing({ code: { type: 'string', privacy: { encrypted: true } }, note: 'string' }),
    bodies: [{ code: 'a' }, { code: 'b' }, { note: 'n' }],
    made: { code: 'b' },
    changed: { code: 'a', note: 'n' },
  },
  unsealed: {
    before: thing({ code: { type: 'string', privacy: { encrypted: true } }, note: 'string' }),
    after: thing({ code: 'string', note: 'string' }),
    bodies: [{ code: 'a' }, { code: 'b' }, { note: 'n' }],
    made: { code: 'b' },
    changed: { code: 'a', note: 'n' },
  },
  retyped: {
    before: thing({ code: 'decimal' }),
    after: thing({ code: 'integer' }),
    bodies: [{ code: 1 }, { code: 1.5 }, { code: 7 }],
    made: 422,
    changed: { code: 7 },
  },
  narrowed: {
    before: thing({ code: 'string' }),
    after: thing({ code: { type: 'string', required: true, maxLength: 3 } }),
    bodies: [{ code: 'abc' }, { code: 'too long' }, { code: null }],
    made: 422,
    changed: 422,
  },
}

// SQLite has one server.
for (const store of STORES.filter(({ name }) => name === 'postgres')) {
  describe(`a definition that another server has just changed, on ${store.name}`, () => {
    const server = useTestKernel({ store })
    let two: SecondServer
    beforeAll(async () => {
      two = await startSecond(server().database, server().clock)
    })
    afterAll(() => two.stop())

    const domain = (name: string, Thing: object) =>
      JSON.stringify({
        domain: {
          name,
          version: '1',
          privacy: { encryption: { keyVariable: 'SVC_DOMAIN_ELSEWHERE_KEY' } },
          resources: { Thing },
        },
      })

    for (const [name, { before, after, bodies, made, changed }] of Object.entries(CASES)) {
      it(`3.26 is what records are written by: ${name}`, async () => {
        const one = server()
        const path = `/api/v1/${name}/things`
        await one.submit(domain(name, before))
        const first = await one.request('POST', path, { body: bodies[0] })
        await expect.poll(async () => (await two.request('GET', path)).status).toBe(200)
        await one.submit(domain(name, after), { allow_destructive: true })
        const other = await two.request('POST', path, { body: bodies[1] })
        const patched = await two.request('PATCH', `${path}/${first.body.data.id}`, { body: bodies[2] })
        for (const [answer, wanted, good] of [
          [other, made, 201],
          [patched, changed, 200],
        ] as const) {
          const isRefused = typeof wanted === 'number'
          expect(answer.status, JSON.stringify(answer.body)).toBe(isRefused ? wanted : good)
          if (isRefused) continue
          expect(answer.body.data).toMatchObject(wanted)
          for (const { request } of [one, two])
            expect((await request('GET', `${path}/${answer.body.data.id}`)).body.data).toMatchObject(wanted)
        }
        const lists = [await one.request('GET', path), await two.request('GET', path)]
        expect(lists[1]!.body).toEqual(lists[0]!.body)
      })
    }
  })
}
