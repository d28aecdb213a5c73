import { describe, expect, it } from 'vitest'
import { createRandom } from '../../kit/random.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { deskOf, OPEN } from '../rules/desk.ts'
import { drawRules, type DrawnRule, type Fact, outcomeOf, writtenRules } from './drawn-rules.ts'

// Random rules, met on every path by which a record is written: what comes of it is what thirty lines say, by whatever path.

const SETS = size('RULES_SETS', { smoke: 3, whole: 150 })
const SEED = size('RULES_SEED', { smoke: 1, whole: 1 })

const definition = (rules: readonly DrawnRule[], version: number) => `
domain:
  name: shop
  version: '1.0.${version}'
  resources:
    Box: { object: { name: string }, permissions: ${OPEN} }
    Owner: { object: { name: string }, permissions: ${OPEN} }
    Item:
      features: { softDelete: true, versioning: true, import: true }
      object:
        code: { type: string, unique: true }
        a: integer
        b: integer
        status: { type: string, enum: [open, paid, closed] }
        deletedAt: datetime
      stateMachine:
        field: status
        initial: open
        states:
          open: { transitions: { pay: { to: paid }, close: { to: closed } } }
          paid: { transitions: { close: { to: closed }, reopen: { to: open } } }
          closed: { transitions: { reopen: { to: open } } }
      relationships:
        box: { type: belongsTo, target: Box, onDelete: cascade }
        owner: { type: belongsTo, target: Owner, onDelete: nullify }
      api:
        customOperations:
          - { name: settle, permissions: ['*'], fields: { status: paid } }
          - { name: note, permissions: ['*'], fields: { a: 3 } }
      permissions: ${OPEN}
  ${rules.length === 0 ? '' : `rules:\n${writtenRules(rules)}`}
`

type Values = Pick<Fact, 'a' | 'b'>
interface Prepared {
  readonly id: string
  readonly code: string
  readonly boxId: string
  readonly ownerId: string
  /** As it is stored when the write comes. */
  readonly was: Values
  /** What the write brings. */
  readonly sent: Values
}
interface Way {
  readonly request: (one: Prepared) => readonly [method: string, path: string, body?: unknown]
  /** What the write is to rules. */
  readonly fact: (one: Prepared) => Omit<Fact, 'changed'>
  /** Prepares the record further, before there are rules. */
  readonly first?: 'absent' | 'deleted' | 'patched'
}

const update = ({ sent }: Prepared): Omit<Fact, 'changed'> => ({ ...sent, moment: 'update' })
const moved =
  (transition: string) =>
  ({ sent }: Prepared): Omit<Fact, 'changed'> => ({ ...sent, moment: 'update', transition })
const unchanged = ({ was }: Prepared): Omit<Fact, 'changed'> => ({ ...was, moment: 'update' })
const created = ({ sent }: Prepared): Omit<Fact, 'changed'> => ({ ...sent, moment: 'create' })
const removed = ({ was }: Prepared): Omit<Fact, 'changed'> => ({ ...was, moment: 'delete' })
const rows = ({ code, sent }: Prepared) => [{ code, ...sent }]
const upsert = (one: Prepared) => ({ items: rows(one), upsert: true, conflict: ['code'] })

const WAYS: Readonly<Record<string, Way>> = {
  POST: {
    first: 'absent',
    request: (one) => ['POST', '/items', { code: one.code, ...one.sent }],
    fact: created,
  },
  'bulk of new ones': {
    first: 'absent',
    request: (one) => ['POST', '/items/bulk', rows(one)],
    fact: created,
  },
  import: { first: 'absent', request: (one) => ['POST', '/items/import', rows(one)], fact: created },
  'upsert of a new one': {
    first: 'absent',
    request: (one) => ['POST', '/items/bulk', upsert(one)],
    fact: created,
  },
  PATCH: { request: ({ id, sent }) => ['PATCH', `/items/${id}`, sent], fact: update },
  PUT: { request: ({ id, code, sent }) => ['PUT', `/items/${id}`, { code, ...sent }], fact: update },
  'bulk of stored ones': {
    request: ({ id, sent }) => ['PATCH', '/items/bulk', [{ id, ...sent }]],
    fact: update,
  },
  'bulk by keys': {
    request: ({ id, sent }) => ['PATCH', '/items/bulk', { ids: [id], data: sent }],
    fact: update,
  },
  'upsert of a stored one': { request: (one) => ['POST', '/items/bulk', upsert(one)], fact: update },
  'a transition': {
    request: ({ id, sent }) => ['POST', `/items/${id}/transitions/pay`, sent],
    fact: moved('pay'),
  },
  'a transition by PATCH': {
    request: ({ id, sent }) => ['PATCH', `/items/${id}`, { ...sent, status: 'closed' }],
    fact: moved('close'),
  },
  'a custom operation': {
    request: ({ id }) => ['POST', `/items/${id}/note`, {}],
    fact: ({ was }) => ({ ...was, a: 3, moment: 'update' }),
  },
  'a custom operation that makes a transition': {
    request: ({ id }) => ['POST', `/items/${id}/settle`, {}],
    fact: ({ was }) => ({ ...was, moment: 'update', transition: 'pay' }),
  },
  // Version 1 has what is sent; the record was changed since.
  revert: {
    first: 'patched',
    request: ({ id }) => ['POST', `/items/${id}/revert`, { version: 1 }],
    fact: update,
  },
  restore: { first: 'deleted', request: ({ id }) => ['POST', `/items/${id}/restore`], fact: unchanged },
  'a key that is emptied': { request: ({ ownerId }) => ['DELETE', `/owners/${ownerId}`], fact: unchanged },
  DELETE: { request: ({ id }) => ['DELETE', `/items/${id}`], fact: removed },
  'bulk of deletions': { request: ({ id }) => ['DELETE', '/items/bulk', { ids: [id] }], fact: removed },
  'a cascade': { request: ({ boxId }) => ['DELETE', `/boxes/${boxId}`], fact: removed },
}

for (const store of STORES) {
  describe(`random rules on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const desk = deskOf(server, 'shop')
    const made = async (path: string, body: object): Promise<string> => {
      const { status, body: answer } = await desk.send('POST', path, body)
      expect([status, answer]).toMatchObject([201, {}])
      return answer.data.id
    }

    it('B2, B4, B5, B6, B8: come to the same by every path', async () => {
      const random = createRandom(SEED)
      const value = () => (random.int(5) === 0 ? null : random.int(7))
      const values = (): Values => ({ a: value(), b: value() })
      for (let set = 0; set < SETS; set += 1) {
        const rules = drawRules(random)
        await server().submit(definition([], 2 * set))
        const prepared = new Map<string, Prepared>()
        for (const [name, { first }] of Object.entries(WAYS)) {
          const [was, sent] = [values(), values()]
          const code = `${set} ${name}`
          const [boxId, ownerId] = [await made('/boxes', {}), await made('/owners', {})]
          const before = first === 'patched' ? sent : was
          const id = first === 'absent' ? '' : await made('/items', { code, boxId, ownerId, ...before })
          if (first === 'patched') await desk.send('PATCH', `/items/${id}`, was)
          if (first === 'deleted') await desk.send('DELETE', `/items/${id}`)
          prepared.set(name, { id, code, boxId, ownerId, was, sent })
        }
        await server().submit(definition(rules, 2 * set + 1))
        await desk.heard()
        for (const [name, way] of Object.entries(WAYS)) {
          const one = prepared.get(name)!
          const fact = way.fact(one)
          const changed = (['a', 'b'] as const).filter((field) => one.was[field] !== fact[field])
          const expected = outcomeOf(rules, { ...fact, changed })
          const stored = async () =>
            (await desk.send('GET', `/items?filter[code]=${encodeURIComponent(one.code)}`)).body.data.items
          const before = await stored()
          const { status, body } = await desk.send(...way.request(one))
          const row = body?.data?.errors?.[0] ?? body
          const told = {
            rejected: row?.error_code === 'RULE_VIOLATION' ? row.data.rule : null,
            warned: (body?.warnings ?? []).map(({ rule }: { rule: string }) => rule),
          }
          const trace = `set ${set}, ${name}: ${status} ${JSON.stringify([body, fact, changed])}\n${writtenRules(rules)}`
          expect(told, trace).toEqual({
            rejected: expected.rejected,
            // A 204 has none.
            warned: status === 204 ? [] : expected.warned,
          })
          expect((await desk.heard()).toSorted(), trace).toEqual(expected.log.toSorted())
          if (expected.rejected !== null) expect(await stored(), trace).toEqual(before)
          else if (fact.moment === 'delete') expect(await stored(), trace).toEqual([])
          else expect(await stored(), trace).toMatchObject([{ a: fact.a, b: fact.b }])
        }
      }
    }, 600_000)
  })
}
