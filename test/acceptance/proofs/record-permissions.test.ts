import { SYSTEM } from '@svc/kernel'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestAnswer } from '../../kit/request.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const RUNS = size('PROOF_RUNS', { smoke: 40, whole: 150 })

const DEFINITION = `
domain:
  name: desk
  version: '1.0.0'
  resources:
    Task:
      features: { softDelete: true, versioning: true }
      object:
        title: { type: string, required: true }
        level: { type: integer, default: 1 }
        status: string
        kind: { type: string, immutable: true }
        note: { type: text, required: true, default: none }
        budget: { type: decimal }
        diary: text
        secret: password
        twice: { type: integer, computed: 'level * 2' }
        createdById: uuid
        createdAt: datetime
        updatedAt: datetime
        deletedAt: datetime
      stateMachine:
        field: status
        initial: open
        states:
          open:
            transitions:
              claim: { to: held, guards: [agent, owner] }
              skip: { to: done, guard: 'level > 3' }
              stall: { to: held }
          held:
            transitions:
              finish: { to: done, requiredFields: [budget] }
              free: { to: open, guards: [nobody] }
          done: { final: true }
      permissions:
        list: ['*']
        get: ['*']
        create: [authenticated]
        update: [owner, agent]
        delete: 'level < 3 and (hasRole("agent") or isOwner())'
        conditional:
          update: { held: [boss], done: 'hasRole("boss") and level > 1' }
          delete: { done: [] }
        transitions:
          free: [boss, owner]
        fields:
          note: { write: [agent] }
          budget: { read: [boss, owner], write: [boss, owner] }
          diary: { read: [owner], write: [owner], mask: true }
      api:
        disable: [put]
        customOperations:
          - { name: bump, permissions: [authenticated], fields: { level: 5 } }
          - { name: grab, permissions: [owner, boss], fields: { status: held } }
          - { name: peek, method: GET, permissions: 'level > 2' }
          - { name: fix, method: PUT, path: '/:id/fixed', permissions: 'isOwner() and level = 1', fields: { note: fixed } }
          - { name: sweep, path: /sweep, permissions: ['*'] }
    Job:
      object: { status: string }
      stateMachine:
        field: status
        initial: open
        states: { open: { transitions: { end: { to: done } } }, done: { final: true } }
      permissions:
        { get: ['*'], create: ['*'], update: [agent], conditional: { update: { open: [boss] } } }
`
const TASKS = '/api/v1/desk/tasks'
const PEOPLE = {
  ann: [],
  bob: [],
  agent: ['agent'],
  boss: ['boss'],
  both: ['agent', 'boss'],
  admin2: ['admin'],
}
type Person = keyof typeof PEOPLE
const people = Object.keys(PEOPLE) as Person[]

/** How each operation is asked for. */
const ASKED: Readonly<Record<string, readonly [method: string, below: string, body?: object]>> = {
  get: ['GET', '?scope=all'],
  update: ['PATCH', '', { title: 'changed' }],
  delete: ['DELETE', ''],
  restore: ['POST', '/restore'],
  revert: ['POST', '/revert', { version: 1 }],
  bump: ['POST', '/bump', {}],
  grab: ['POST', '/grab', {}],
  peek: ['GET', '/peek'],
  fix: ['PUT', '/fixed', {}],
}
const TRANSITIONS = ['claim', 'skip', 'stall', 'finish', 'free']
const VALUES: Readonly<Record<string, unknown>> = {
  id: '01900000-0000-7000-8000-000000000000',
  title: 'other',
  level: 2,
  status: 'elsewhere',
  kind: 'other',
  note: 'other',
  budget: 7,
  diary: 'dear',
  secret: 'Correct-horse-8',
  twice: 9,
  createdById: '01900000-0000-7000-8000-000000000000',
  createdAt: '2020-01-01T00:00:00Z',
  updatedAt: '2020-01-01T00:00:00Z',
  deletedAt: '2020-01-01T00:00:00Z',
}

interface Start {
  readonly who: Person | undefined
  readonly owner: Person
  readonly status: 'open' | 'held' | 'done'
  readonly level: number
  readonly isDeleted: boolean
}

const starts: fc.Arbitrary<Start> = fc.record({
  who: fc.constantFrom<Person | undefined>(...people, undefined),
  owner: fc.constantFrom<Person>('ann', 'bob', 'agent'),
  status: fc.constantFrom('open', 'held', 'done'),
  level: fc.integer({ min: 1, max: 5 }),
  isDeleted: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
})

for (const store of STORES) {
  describe(`the permissions of a record on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION, environment: 'development' })
    const accounts = new Map<Person, TestAccount>()
    let nobody = ''

    beforeAll(async () => {
      for (const name of people) accounts.set(name, await server().account(name, PEOPLE[name]))
      nobody = (await server().account('nobody')).id
    })

    const send = (who: Person | undefined, method: string, path: string, body?: unknown) => {
      const token = who && accounts.get(who)!.token
      return server().request(method, path, {
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
      })
    }

    /** A record with an earlier version, made by the service itself, for one try alone. */
    const make = async ({ owner, status, level, isDeleted }: Start) => {
      const call = server().kernel.callAs(SYSTEM)
      const createdById = accounts.get(owner)!.id
      const data = { title: 'first', status, level, createdById, budget: 1 }
      const { id } = (await call('svc.desk.task.create', { data })) as { id: string }
      await call('svc.desk.task.update', { id, data: { title: 'second' } })
      if (isDeleted) await call('svc.desk.task.delete', { id })
      return `${TASKS}/${id}`
    }

    const told = async (start: Start) => {
      const record = await make(start)
      const { body } = await send(start.who, 'GET', `${record}?include=_permissions&scope=all`)
      return { record, permissions: body.data._permissions }
    }

    it('say of every operation what the service then does', async () => {
      await fc.assert(
        fc.asyncProperty(starts, fc.constantFrom(...Object.keys(ASKED)), async (start, operation) => {
          const { record, permissions } = await told(start)
          const [method, below, body] = ASKED[operation]!
          const answer = await send(start.who, method, `${record}${below}`, body)
          expect([operation, isDone(answer)]).toEqual([operation, permissions.operations.includes(operation)])
        }),
        { numRuns: RUNS },
      )
    })

    it('say of every transition what the service then does', async () => {
      await fc.assert(
        fc.asyncProperty(starts, fc.constantFrom(...TRANSITIONS), async (start, transition) => {
          const { record, permissions } = await told(start)
          const answer = await send(start.who, 'POST', `${record}/transitions/${transition}`, {})
          expect([transition, isDone(answer)]).toEqual([
            transition,
            permissions.transitions.includes(transition),
          ])
        }),
        { numRuns: RUNS },
      )
    })

    it('say of every field what the service then does', async () => {
      await fc.assert(
        fc.asyncProperty(starts, fc.constantFrom(...Object.keys(VALUES)), async (start, field) => {
          const { record, permissions } = await told(start)
          const value = field === 'createdById' ? nobody : VALUES[field]
          const { status, body } = await send(start.who, 'PATCH', record, { [field]: value })
          const isWritten = status === 200 && body.warnings === undefined
          expect([field, isWritten]).toEqual([field, permissions.writable.includes(field)])
        }),
        { numRuns: RUNS },
      )
    })

    it('are the same in a list, and stay out of the way where nobody asks', async () => {
      const start: Start = { who: 'ann', owner: 'ann', status: 'open', level: 1, isDeleted: false }
      const { record, permissions } = await told(start)
      const id = record.slice(TASKS.length + 1)
      for (const paging of ['', '&cursor=', '&fields=title']) {
        const path = `${TASKS}?filter[id]=${id}&include=_permissions${paging}`
        const { body } = await send('ann', 'GET', path)
        expect(body.warnings).toBeUndefined()
        expect(body.data.items[0]._permissions).toEqual(permissions)
      }
      expect(permissions).toEqual({
        operations: ['get', 'update', 'delete', 'revert', 'bump', 'grab', 'fix'],
        transitions: ['claim', 'stall'],
        writable: ['title', 'level', 'budget', 'diary', 'secret'],
      })
      expect((await send('ann', 'GET', record)).body.data).not.toHaveProperty('_permissions')
    })

    it('let the state decide alone, where it stands in place of the general rule', async () => {
      const made = await send('ann', 'POST', '/api/v1/desk/jobs', {})
      const job = `/api/v1/desk/jobs/${made.body.data.id}`
      const transitions = async (who: Person) =>
        (await send(who, 'GET', `${job}?include=_permissions`)).body.data._permissions.transitions
      expect([await transitions('agent'), await transitions('boss')]).toEqual([[], ['end']])
      expect((await send('agent', 'POST', `${job}/transitions/end`, {})).status).toBe(403)
      expect((await send('boss', 'POST', `${job}/transitions/end`, {})).status).toBe(200)
    })

    it('change the tag of the answer along with the permissions', async () => {
      const start: Start = { who: 'agent', owner: 'ann', status: 'open', level: 1, isDeleted: false }
      const record = `${await make(start)}?include=_permissions`
      const tag = (await send('ann', 'GET', record)).headers.get('etag')
      expect((await send('agent', 'GET', record)).headers.get('etag')).not.toBe(tag)
      expect((await send('ann', 'GET', record)).headers.get('etag')).toBe(tag)
    })
  })
}

/** Whether a request did what it asked for. What only its body keeps from succeeding does not count against it. */
const isDone = ({ status, body }: TestAnswer): boolean =>
  status < 300 || (status === 422 && body.error_code === 'REQUIRED_FIELD')
