import { SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { DESK, TICKETS } from '../desk.ts'

/** What the handler of an operation is told, as far as these tests look at it. */
interface CustomEvent {
  readonly input: unknown
  readonly record: unknown
}

for (const store of STORES) {
  describe(`custom operations on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DESK })
    let agent: TestAccount
    let owner: TestAccount
    let stranger: TestAccount

    beforeAll(async () => {
      agent = await server().account('agent', ['agent'])
      owner = await server().account('owner')
      stranger = await server().account('stranger')
    })

    const send = (method: string, path: string, who?: TestAccount, body?: unknown, headers = {}) =>
      server().request(method, path, {
        headers,
        ...(who && { token: who.token }),
        ...(body !== undefined && { body }),
      })
    const outcome = async (...args: Parameters<typeof send>) => {
      const { status, body } = await send(...args)
      return [status, body?.error_code]
    }
    const ticket = async (body: object = {}) => {
      const made = await send('POST', TICKETS, owner, { title: 'Printer', ...body })
      return `${TICKETS}/${made.body.data.id}`
    }
    /** Handles an operation for as long as `work` runs. */
    const handling = async <T>(
      name: string,
      handler: (event: CustomEvent) => unknown,
      work: () => Promise<T>,
    ) => {
      const off = server().kernel.bus.on(`svc.desk.ticket.${name}`, (event) => handler(event as CustomEvent))
      try {
        return await work()
      } finally {
        off()
      }
    }

    it('set their fields, and whatever else the body brings', async () => {
      const path = await ticket()
      const { status, body } = await send('POST', `${path}/assign`, agent, { note: 7, priority: 5 })
      expect(status).toBe(200)
      expect(body.data).toMatchObject({ note: 'assigned', solvedBy: 'agent', priority: 5, title: 'Printer' })
      expect((await send('GET', path, agent)).body.data).toEqual(body.data)
    })

    it('have the method and the path that they declare, in both forms', async () => {
      const path = await ticket()
      const touched = await send('PUT', `${path}/touched`, agent)
      expect(touched.body.data.solvedAt).toBe('2026-03-01T12:00:00.000Z')
      expect((await send('PATCH', `${path}/shelve`)).body.data.open).toBe(false)
      expect(await outcome('POST', `${path}/shelve`, agent)).toEqual([404, 'NOT_FOUND'])
    })

    it('ask their own permission: roles, owners and expressions', async () => {
      const path = await ticket()
      expect(await outcome('POST', `${path}/assign`, owner)).toEqual([200, undefined])
      expect(await outcome('POST', `${path}/assign`, stranger)).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('POST', `${path}/assign`)).toEqual([401, 'UNAUTHORIZED'])
      expect(await outcome('PUT', `${path}/touched`, owner)).toEqual([403, 'FORBIDDEN'])
      const low = await ticket({ priority: 1 })
      expect(await outcome('PUT', `${low}/touched`, agent)).toEqual([403, 'FORBIDDEN'])
    })

    it('take the ordinary write path: checks, field permissions, preconditions, states', async () => {
      const path = await ticket()
      expect(await outcome('POST', `${path}/assign`, agent, { priority: 9 })).toEqual([
        422,
        'VALIDATION_ERROR',
      ])
      expect(await outcome('POST', `${path}/assign`, agent, [])).toEqual([422, 'VALIDATION_ERROR'])
      expect(await outcome('POST', `${path}/assign`, agent, {}, { 'if-match': '"old"' })).toEqual([
        412,
        'PRECONDITION_FAILED',
      ])
      const margin = await send('POST', `${path}/assign`, agent, { margin: 3 })
      expect([margin.status, margin.body.warnings]).toMatchObject([200, [{ rule: 'ignored' }]])
      expect((await send('POST', `${path}/finish`, agent)).body.data.status).toBe('waiting')
      await send('POST', `${path}/transitions/resume`, owner)
      await send('POST', `${path}/transitions/solve`, agent, { solution: 'x', hours: 1 })
      expect(await outcome('POST', `${path}/finish`, agent)).toEqual([422, 'TRANSITION_DENIED'])
      expect(await outcome('POST', `${TICKETS}/nonsense/assign`, agent)).toEqual([404, 'NOT_FOUND'])
    })

    it('are answered by their handler, on the record as it will be', async () => {
      const path = await ticket()
      const events: unknown[] = []
      const handler = (event: unknown) => {
        events.push(event)
        return { assigned: true }
      }
      const { body } = await handling('assign', handler, () =>
        send('POST', `${path}/assign`, agent, { priority: 4 }),
      )
      expect(body.data).toEqual({ assigned: true })
      expect(events).toMatchObject([
        {
          operation: 'assign',
          domain: 'desk',
          resource: 'Ticket',
          input: { priority: 4 },
          record: { note: 'assigned', priority: 4 },
          previous: { note: null, priority: 3 },
          actor: { username: 'agent' },
        },
      ])
      expect((await send('GET', path)).body.data).toMatchObject({ note: 'assigned', priority: 4 })
    })

    it('are stopped by a handler that throws', async () => {
      const path = await ticket()
      const refuse = () => {
        throw new Error('no more room')
      }
      const { status, body } = await handling('assign', refuse, () => send('POST', `${path}/assign`, agent))
      expect([status, body.error_code, body.error_message]).toEqual([422, 'HOOK_FAILED', 'no more room'])
      expect((await send('GET', path)).body.data.note).toBeNull()
    })

    it('do not ask a handler on behalf of somebody who may not', async () => {
      const path = await ticket()
      const asked: unknown[] = []
      const ask = (event: unknown) => void asked.push(event)
      await handling('assign', ask, async () => {
        await send('POST', `${path}/assign`, stranger)
        await send('POST', `${path}/assign`, agent, { priority: 9 })
      })
      expect(asked).toEqual([])
    })

    it('let a handler write by itself, the same record too', async () => {
      const path = await ticket()
      const id = path.split('/').at(-1)!
      const call = server().kernel.callAs(SYSTEM)
      const write = () => call('svc.desk.ticket.update', { id, data: { solution: 'by the handler' } })
      const { status, body } = await handling(
        'assign',
        async () => void (await write()),
        () => send('POST', `${path}/assign`, agent),
      )
      expect([status, body.data]).toMatchObject([200, { note: 'assigned', solution: 'by the handler' }])
    })

    it('change nothing with GET', async () => {
      const path = await ticket()
      const before = await send('GET', path)
      expect((await send('GET', `${path}/outlook`, stranger)).body.data).toEqual(before.body.data)
      const { body } = await handling(
        'outlook',
        ({ input }) => input,
        () => send('GET', `${path}/outlook?days=3`, stranger),
      )
      expect(body.data).toEqual({ days: '3' })
      expect((await send('GET', path)).headers.get('etag')).toBe(before.headers.get('etag'))
      expect(await outcome('GET', `${path}/outlook`)).toEqual([401, 'UNAUTHORIZED'])
    })

    it('without a record in their path do what their handler does', async () => {
      expect((await send('POST', `${TICKETS}/digest`, agent, { of: 'today' })).body).toMatchObject({
        data: null,
      })
      const { body } = await handling(
        'digest',
        ({ input, record }) => ({ input, record }),
        () => send('POST', `${TICKETS}/digest`, agent, { of: 'today' }),
      )
      expect(body.data).toEqual({ input: { of: 'today' }, record: null })
      expect(await outcome('POST', `${TICKETS}/digest`, owner, {})).toEqual([403, 'FORBIDDEN'])
    })

    it('are told to the bus as updates', async () => {
      const path = await ticket()
      const heard = new Promise((resolve) => server().kernel.bus.on('svc.desk.ticket.updated', resolve))
      await send('POST', `${path}/assign`, agent)
      expect(await heard).toMatchObject({ action: 'updated', record: { note: 'assigned' } })
    })
  })
}
