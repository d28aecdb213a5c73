import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { TOLD, useCourier } from './courier.ts'

for (const store of STORES) {
  describe(`dead letters of integrations on ${store.name}`, () => {
    const courier = useCourier(store)
    const { ask, forget, letters, look, order, received, send, submit, tick } = courier

    it('5.7, 6.10: what fails for good is a dead letter, and is retried under the same key', async () => {
      await submit({ tell: { ...TOLD.tell } })
      courier.answer = () => ({ status: 500 })
      const id = await order('D1')
      await tick()
      const [letter] = await letters(`?recordId=${id}`)
      expect(letter).toMatchObject({
        integration: courier.name,
        operation: 'tell',
        direction: 'outbound',
        status: 'pending',
        resource: 'Order',
        recordId: id,
        request: { method: 'POST', url: `${courier.sink.url}/parcels`, body: { number: 'D1', state: '' } },
        error: { code: 'UPSTREAM_FAILED' },
        attempts: 1,
        retries: 0,
      })
      expect((await look('health')).deadLetterSize).toBeGreaterThan(0)
      const again = await ask(`deadletter/${letter.id}/retry`)
      expect([again.status, again.body.error_code, again.body.data.deadLetterId]).toEqual([
        502,
        'UPSTREAM_FAILED',
        letter.id,
      ])
      expect(await look(`deadletter/${letter.id}`)).toMatchObject({ status: 'pending', retries: 1 })
      courier.answer = () => ({ status: 200 })
      const done = await ask(`deadletter/${letter.id}/retry`)
      expect([done.status, done.body.data.status]).toEqual([200, 'retried'])
      expect(new Set(received().map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
      expect((await ask(`deadletter/${letter.id}/retry`)).status).toBe(409)
      expect((await look('log?recordId=' + id)).items[0].triggeredBy).toBe('retry:admin')
    })

    it('6.10: of many retries at once one runs, after maxRetries one is exhausted, and it can be given up', async () => {
      await submit({ tell: TOLD.tell }, { deadLetter: { maxRetries: 2 } })
      courier.answer = () => ({ status: 500 })
      const id = await order('D2')
      await tick()
      const [letter] = await letters(`?recordId=${id}`)
      const codes: number[] = []
      let othersAreTold = () => undefined as void
      const told = new Promise<void>((resolve) => (othersAreTold = resolve))
      // The one that runs is under way for as long as the others ask.
      courier.answer = () => told.then(() => ({ status: 500 }))
      const asked = Array.from({ length: 20 }, async () => {
        codes.push((await ask(`deadletter/${letter.id}/retry`)).status)
        if (codes.length === 19) othersAreTold()
      })
      await Promise.all(asked)
      expect(codes).toEqual([...Array.from({ length: 19 }, () => 409), 502])
      courier.answer = () => ({ status: 500 })
      expect((await ask(`deadletter/${letter.id}/retry`)).status).toBe(502)
      expect((await look(`deadletter/${letter.id}`)).status).toBe('exhausted')
      expect((await ask(`deadletter/${letter.id}/retry`)).status).toBe(409)
      expect((await ask(`deadletter/${letter.id}/discard`)).body.data.status).toBe('discarded')
      expect((await send('GET', `integrations/${courier.name}/deadletter?status=lost`)).body.error_code).toBe(
        'INVALID_QUERY',
      )
    })

    it('6.10: a retry that the limiter refuses leaves the dead letter as it was', async () => {
      const rateLimit = { requestsPerSecond: 0.1, onExceeded: 'reject' }
      await submit({ tell: { ...TOLD.tell, retry: { maxAttempts: 1 } } }, { rateLimit })
      courier.answer = () => ({ status: 500 })
      const id = await order('D6')
      await tick()
      const [letter] = await letters(`?recordId=${id}`)
      const again = await ask(`deadletter/${letter.id}/retry`)
      expect([again.status, again.body.error_code]).toEqual([429, 'RATE_LIMITED'])
      expect(await look(`deadletter/${letter.id}`)).toMatchObject({ status: 'pending', retries: 0 })
      courier.server.clock.advance(10_000)
      await tick()
      expect(received()).toHaveLength(1)
      courier.answer = () => ({ status: 200 })
      expect((await ask(`deadletter/${letter.id}/retry`)).body.data.status).toBe('retried')
    })

    it('6.10: all that is pending is retried at once, and rebuild maps anew under a new key', async () => {
      await submit({ tell: TOLD.tell })
      courier.answer = () => ({ status: 500 })
      const ids = [await order('D3'), await order('D4')]
      await tick()
      const pending = (await letters('?status=pending')).filter((one: { recordId: string }) =>
        ids.includes(one.recordId),
      )
      expect(pending).toHaveLength(2)
      courier.answer = () => ({ status: 200 })
      forget()
      const queued = await ask('deadletter/retry', { ids: [pending[0].id] })
      expect([queued.status, queued.body.data]).toEqual([202, { queued: 1 }])
      await tick()
      expect(received()).toHaveLength(1)
      expect((await look(`deadletter/${pending[0].id}`)).status).toBe('retried')
      await ask(`deadletter/${pending[1].id}/retry`, { rebuild: true })
      expect(received()[1]?.headers['idempotency-key']).not.toBe(pending[1].runId)
      expect((await look(`deadletter/${pending[1].id}`)).status).toBe('retried')
    })

    it('5.7: with dead letters off what fails stands in the log alone', async () => {
      await submit({ ping: { path: '/ping' } }, { deadLetter: { enabled: false } })
      courier.answer = () => ({ status: 500 })
      const count = (await letters()).length
      const { body } = await ask('operations/ping')
      expect(body.data.deadLetterId).toBeNull()
      expect((await letters()).length).toBe(count)
      expect((await look(`log?runId=${body.data.runId}`)).items).toMatchObject([
        { success: false, responseStatus: 500 },
      ])
    })

    it('4.4: administrators are told of dead letters, in words of the definition too', async () => {
      await submit({ ping: { path: '/ping' } })
      courier.answer = () => ({ status: 500 })
      await ask('operations/ping')
      await tick()
      const [usual] = (await send('GET', 'notifications')).body.data.items
      expect(usual.body).toContain(`${courier.name}: added ping: UPSTREAM_FAILED`)
      const notification = { channels: ['log'], template: { body: 'Look after {$operation}' } }
      await submit({ ping: { path: '/ping' } }, { deadLetter: { notifyOn: { on: ['added'], notification } } })
      await ask('operations/ping')
      await tick()
      expect((await send('GET', 'notifications')).body.data.items[0].body).toBe('Look after ping')
    })

    it('4.4: role admin is told over the log of what notifyOn names, and of nothing else', async () => {
      courier.answer = () => ({ status: 500 })
      const own = courier.name
      /** One dead letter, which a vain retry exhausts; the breaker opens twice. */
      const told = async (deadLetter: object) => {
        courier.name = `${own}-${JSON.stringify(deadLetter).replaceAll(/\W/g, '')}`
        const circuitBreaker = { failureThreshold: 1, timeout: '1s' }
        await submit({ ping: { path: '/ping' } }, { circuitBreaker, deadLetter })
        const { body } = await ask('operations/ping')
        courier.server.clock.advance(1000)
        await ask(`deadletter/${body.data.deadLetterId}/retry`)
        expect((await look(`deadletter/${body.data.deadLetterId}`)).status).toBe('exhausted')
        const from = courier.name
        return async () => {
          await tick()
          return courier.server.log
            .filter(({ event }) => event === 'notifications.message')
            .filter(({ fields }) => String(fields['body']).startsWith(`${from}: `))
            .map(({ fields }) => [String(fields['body']).split(' ')[1], fields['recipients']])
            .toSorted()
        }
      }
      const admins = ['admin@example.org']
      await courier.server.account(`clerk-${store.name}`, ['clerk'])
      const cases = [
        [{ maxRetries: 1 }, [['added', admins]]],
        [{ maxRetries: 1, notifyOn: [] }, []],
        [{ maxRetries: 1, notifyOn: ['exhausted'] }, [['exhausted', admins]]],
        [{ maxRetries: 0, notifyOn: ['exhausted'] }, [['exhausted', admins]]],
        [
          { maxRetries: 1, notifyOn: ['circuitOpen'] },
          [
            ['circuitOpen', admins],
            ['circuitOpen', admins],
          ],
        ],
      ] as const
      const asked = []
      for (const [deadLetter, expected] of cases) asked.push({ look: await told(deadLetter), expected })
      for (const { look: notices, expected } of asked.toReversed())
        await expect.poll(notices).toEqual(expected)
    })
  })
}
