import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { DAY, PATIENT, SECOND, SHED, shed, shedOf } from './shed.ts'

for (const store of STORES) {
  describe(`requests to schedules that are sent again, on ${store.name}`, () => {
    const server = useTestKernel({ store, config: PATIENT, definition: shed({}) })
    const { submit, pass, firings, tool, request, lines } = shedOf(server)
    const send = (path: string, key: string, body: object = {}) =>
      server().request('POST', `${SHED}/schedules/${path}`, {
        token: server().admin,
        body,
        headers: { 'idempotency-key': key },
      })

    it('2.9: a run fires once for its key, and again for another', async () => {
      await submit({
        write: { recurrence: 'daily at 06:00', action: 'create', target: 'Line', input: { text: 'run' } },
      })
      // Each second is another moment: what a moment has fired would not fire again, whatever the key.
      const first = await send('write/run', 'a')
      expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([202, null])
      await pass(SECOND)
      const again = await send('write/run', 'a')
      expect([again.status, again.body.data]).toEqual([202, first.body.data])
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      await pass(SECOND)
      expect(await lines()).toHaveLength(1)
      expect((await send('write/run', 'a', { dryRun: true })).status).toBe(200)
      expect((await send('write/run', 'b')).body.data.run).not.toBe(first.body.data.run)
      await pass(SECOND)
      expect(await lines()).toHaveLength(2)
    })

    it('2.9: a key that is none is refused, and nothing fires', async () => {
      for (const key of ['x'.repeat(256), 'café']) {
        const { status, body } = await send('write/run', key)
        expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST'])
      }
      expect(await lines()).toHaveLength(2)
    })

    it('2.9: a retry that is sent again answers with the firing, where another is 409', async () => {
      await submit({
        grow: {
          source: { resource: 'Tool', filter: "title == 'grown'" },
          relativeTo: 'dueAt',
          action: 'update',
          input: { total: '$(total * 2)' },
        },
      })
      const dueAt = new Date(server().clock.now() + DAY).toISOString()
      const id = await tool({ title: 'grown', total: 900, dueAt })
      await pass(2 * DAY)
      const [failed] = await firings('grow')
      expect(failed).toMatchObject({ status: 'failed' })
      await request('PATCH', `/tools/${id}`, { total: 10 })
      const path = `firings/${String(failed?.['id'])}/retry`
      expect((await send(path, 'c')).status).toBe(200)
      await pass(0)
      const again = await send(path, 'c')
      expect([again.status, again.body.data.status]).toEqual([200, 'fired'])
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect((await send(path, 'd')).status).toBe(409)
      expect((await firings('grow'))[0]).toMatchObject({ attempts: 2 })
    })
  })
}
