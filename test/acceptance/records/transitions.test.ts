import { column, StoreCapability } from '@svc/store/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestAnswer } from '../../kit/request.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { DESK, TICKETS } from '../desk.ts'

const QUEUE = `
domain:
  name: queue
  version: '1'
  resources:
    Job:
      object: { title: string, status: string }
      stateMachine:
        field: status
        initial: open
        states: { open: { transitions: { end: { to: done } } }, done: {} }
      permissions:
        list: [authenticated]
        get: [authenticated]
        create: [authenticated]
        update: ['*']
        conditional: { list: { open: [boss] }, get: { open: [boss] }, update: { done: [boss] } }
      api:
        customOperations: [{ name: reset, permissions: [authenticated], fields: { status: open } }]
`
const JOBS = '/api/v1/queue/jobs'

for (const store of STORES) {
  describe(`transitions on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DESK })
    let owner: TestAccount
    let agent: TestAccount
    let boss: TestAccount
    let stranger: TestAccount

    beforeAll(async () => {
      owner = await server().account('owner')
      agent = await server().account('agent', ['agent'])
      boss = await server().account('boss', ['boss'])
      stranger = await server().account('stranger')
    })

    const send = (method: string, path: string, { token }: TestAccount, body?: unknown) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const ticket = async (body: object = {}) => {
      const made = await send('POST', TICKETS, owner, { title: 'Printer', ...body })
      expect(made.status).toBe(201)
      return `${TICKETS}/${made.body.data.id}`
    }
    const move = (path: string, name: string, who: TestAccount, body?: unknown) =>
      send('POST', `${path}/transitions/${name}`, who, body)
    const outcome = ({ status, body }: TestAnswer) => [status, body.error_code]
    const stateOf = async (path: string) => (await send('GET', path, agent)).body.data.status

    it('begin in the initial state, whatever a client sends', async () => {
      for (const status of ['closed', 'nonsense']) {
        const made = await send('POST', TICKETS, owner, { title: 'Printer', status })
        expect([made.status, made.body.data.status]).toEqual([201, 'open'])
        expect(made.body.warnings).toMatchObject([{ rule: 'ignored' }])
      }
    })

    it('answer the whole record in its new state, with what the transition sets', async () => {
      const path = await ticket({ note: 'mine', hours: 2 })
      const { status, body } = await move(path, 'solve', agent, { solution: 'Plug it in', note: 'theirs' })
      expect(status).toBe(200)
      expect(body.data).toMatchObject({
        status: 'solved',
        solution: 'Plug it in',
        solvedAt: '2026-03-01T12:00:00.000Z',
        solvedBy: 'agent',
        note: null,
        title: 'Printer',
      })
      expect((await send('GET', path, agent)).body.data).toEqual(body.data)
    })

    it('take a required field from the record as well', async () => {
      const path = await ticket({ solution: 'Known', hours: 1 })
      expect((await move(path, 'solve', agent)).status).toBe(200)
    })

    it('happen by PATCH and PUT of the state too, with the same conditions', async () => {
      const path = await ticket({ hours: 1 })
      expect(outcome(await send('PATCH', path, agent, { status: 'solved' }))).toEqual([422, 'REQUIRED_FIELD'])
      expect(outcome(await send('PATCH', path, owner, { status: 'solved', solution: 'x' }))).toEqual([
        403,
        'GUARD_FAILED',
      ])
      const solved = await send('PATCH', path, agent, { status: 'solved', solution: 'x' })
      expect(solved.body.data).toMatchObject({ status: 'solved', solvedBy: 'agent' })
      const closed = await send('PUT', path, agent, { title: 'Printer', status: 'closed', hours: 1 })
      expect([closed.status, closed.body.data.status]).toEqual([200, 'closed'])
    })

    it('leave the state alone where a PUT does not name it, or names the present one', async () => {
      const path = await ticket()
      await move(path, 'wait', owner)
      expect((await send('PUT', path, owner, { title: 'Other' })).body.data.status).toBe('waiting')
      expect((await send('PATCH', path, owner, { status: 'waiting' })).body.data.status).toBe('waiting')
    })

    it('are denied where none leads there, and tell which there are', async () => {
      const path = await ticket()
      const byName = await move(path, 'close', agent)
      expect(outcome(byName)).toEqual([422, 'TRANSITION_DENIED'])
      expect(byName.body.data).toEqual({ state: 'open', available: ['wait', 'solve', 'escalate'] })
      expect(outcome(await move(path, 'fly', agent))).toEqual([422, 'TRANSITION_DENIED'])
      expect(outcome(await send('PATCH', path, agent, { status: 'closed' }))).toEqual([
        422,
        'TRANSITION_DENIED',
      ])
      expect(await stateOf(path)).toBe('open')
    })

    it('are judged in the order: existence, permission, guards, required fields', async () => {
      const path = await ticket({ hours: 1 })
      expect(outcome(await move(path, 'close', stranger))).toEqual([422, 'TRANSITION_DENIED'])
      expect(outcome(await move(path, 'solve', stranger))).toEqual([403, 'FORBIDDEN'])
      expect(outcome(await move(path, 'solve', owner))).toEqual([403, 'GUARD_FAILED'])
      expect(outcome(await move(path, 'solve', agent))).toEqual([422, 'REQUIRED_FIELD'])
      expect(outcome(await move(path, 'solve', agent, { solution: '' }))).toEqual([422, 'REQUIRED_FIELD'])
      expect(await stateOf(path)).toBe('open')
    })

    it('are guarded by roles, owners and expressions', async () => {
      expect((await move(await ticket(), 'wait', owner)).status).toBe(200)
      expect((await move(await ticket(), 'wait', agent)).status).toBe(200)
      expect(outcome(await move(await ticket(), 'escalate', owner))).toEqual([403, 'GUARD_FAILED'])
      expect((await move(await ticket({ priority: 4 }), 'escalate', owner)).status).toBe(200)
    })

    it('ask a permission of their own in place of guards and of the update permission', async () => {
      const path = await ticket({ solution: 'x', hours: 1 })
      await move(path, 'solve', agent)
      expect(outcome(await move(path, 'reopen', agent))).toEqual([403, 'FORBIDDEN'])
      expect((await move(path, 'reopen', boss)).body.data.status).toBe('open')
    })

    it('need somebody who is signed in', async () => {
      const { status, body } = await server().request('POST', `${await ticket()}/transitions/wait`)
      expect([status, body.error_code]).toEqual([401, 'UNAUTHORIZED'])
    })

    it('check the fields that come along', async () => {
      const path = await ticket({ hours: 1 })
      const { status, body } = await move(path, 'wait', owner, { priority: 9, colour: 'red' })
      expect([status, body.errors.map(({ rule }: { rule: string }) => rule).sort()]).toEqual([
        422,
        ['max', 'unknown'],
      ])
      expect(outcome(await move(path, 'wait', owner, [1]))).toEqual([422, 'VALIDATION_ERROR'])
    })

    it('run the hooks of the state that they leave, which may stop them', async () => {
      const heard: unknown[] = []
      const off = server().kernel.bus.on('svc.desk.ticket.leaving', (event) => {
        heard.push(event)
        throw new Error('not on a Sunday')
      })
      const path = await ticket()
      const stopped = await move(path, 'wait', owner)
      off()
      expect([outcome(stopped), stopped.body.error_message]).toEqual([
        [422, 'HOOK_FAILED'],
        'not on a Sunday',
      ])
      expect(heard).toMatchObject([
        { hook: 'leaving', transition: 'wait', resource: 'Ticket', previous: { status: 'open' } },
      ])
      expect(await stateOf(path)).toBe('open')
    })

    it('tell the hooks of the state that they reach, and do not mind their failures', async () => {
      const heard = new Promise<unknown>((resolve) =>
        server().kernel.bus.on('svc.desk.ticket.waitingFor', (event) => {
          resolve(event)
          throw new Error('too late')
        }),
      )
      const path = await ticket()
      expect((await move(path, 'wait', owner)).status).toBe(200)
      expect(await heard).toMatchObject({ record: { status: 'waiting' }, actor: { username: 'owner' } })
    })

    it('have one winner, however many try at once', async () => {
      const path = await ticket({ hours: 1, solution: 'x' })
      const tries = Array.from({ length: 20 }, (_, at) => move(path, at % 2 ? 'solve' : 'wait', agent))
      const statuses = (await Promise.all(tries)).map(({ status }) => status)
      expect(statuses.sort()).toEqual([200, ...Array(19).fill(422)])
    })

    it('can be taken by many records at once with a bulk write of the state', async () => {
      const [one, two] = [await ticket(), await ticket({ hours: 1 })].map((path) => path.split('/').at(-1)!)
      await move(`${TICKETS}/${two}`, 'wait', agent)
      const { body } = await send('PATCH', `${TICKETS}/bulk`, agent, {
        ids: [one, two],
        data: { status: 'solved', solution: 'x', hours: 2 },
      })
      expect(body.data).toMatchObject({
        updated: 1,
        failed: 1,
        errors: [{ index: 1, id: two, error_code: 'TRANSITION_DENIED' }],
      })
      expect((await send('GET', `${TICKETS}/${one}`, agent)).body.data.solvedBy).toBe('agent')
    })

    it('are told to the bus as such', async () => {
      const heard = new Promise((resolve) => server().kernel.bus.on('svc.desk.ticket.transitioned', resolve))
      await move(await ticket(), 'wait', owner)
      expect(await heard).toMatchObject({ action: 'transitioned', record: { status: 'waiting' } })
    })
  })

  describe(`a record that is stored without a state on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: QUEUE })
    let clerk: TestAccount
    let boss: TestAccount

    beforeAll(async () => {
      clerk = await server().account('clerk')
      boss = await server().account('boss', ['boss'])
    })

    const send = (method: string, path: string, { token }: TestAccount, body?: unknown) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    /** One that is older than the states. */
    const job = async () => {
      const made = await send('POST', JOBS, boss, { title: 'Old' })
      const [id, status] = [column('id', 'uuid'), column('status', 'text')]
      const table = {
        name: 'queue_job',
        columns: [id, status],
        primaryKey: [id],
        indexes: [],
        foreignKeys: [],
      }
      const where = { op: 'eq', column: id, value: made.body.data.id } as const
      const database = server().kernel.get(StoreCapability)
      await database.transaction((transaction) => transaction.update({ table, set: { status: null }, where }))
      return made.body.data.id as string
    }

    it.each(['PATCH', 'PUT'])('gets the initial one where a %s brings it', async (method) => {
      const path = `${JOBS}/${await job()}`
      expect((await send('GET', path, boss)).body.data.status).toBeNull()
      const { status, body } = await send(method, path, boss, { status: 'open' })
      expect([status, body.data.status]).toEqual([200, 'open'])
      expect((await send('GET', path, boss)).body.data.status).toBe('open')
    })

    it('gets it by an operation that sets it, and says so beforehand', async () => {
      const path = `${JOBS}/${await job()}`
      const { _permissions: may } = (await send('GET', `${path}?include=_permissions`, boss)).body.data
      expect(may).toMatchObject({
        operations: expect.arrayContaining(['reset', 'update']),
        transitions: ['end'],
      })
      expect((await send('POST', `${path}/reset`, boss, {})).body.data.status).toBe('open')
    })

    it('is for those who may do it with one in the initial state, alone and in lists', async () => {
      const id = await job()
      const listed = async (who: TestAccount) =>
        (await send('GET', `${JOBS}?filter[id]=${id}`, who)).body.data.totalCount
      expect((await send('GET', `${JOBS}/${id}`, clerk)).body.error_code).toBe('FORBIDDEN')
      expect([await listed(clerk), await listed(boss)]).toEqual([0, 1])
      expect((await send('PATCH', `${JOBS}/${id}`, clerk, { status: 'done' })).status).toBe(200)
      expect((await send('PATCH', `${JOBS}/${id}`, clerk, { title: 'x' })).status).toBe(403)
      expect([await listed(clerk), await listed(boss)]).toEqual([1, 1])
    })
  })
}
