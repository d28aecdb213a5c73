import { AutomationCapability } from '@svc/automation/contract'
import { definePlugin, errors } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { HOUR, PATIENT, SECOND, shed, shedOf } from './shed.ts'

/** How often the action of these tests finds what it needs out of reach before it goes well. */
let outages = 0
let done = 0

const errand = definePlugin({
  name: 'errand',
  phase: 'domain',
  requires: { automation: AutomationCapability },
  setup: ({ automation }) =>
    automation.performs('errand', {
      compile: () => ({
        expressions: [],
        async perform() {
          if (outages > 0) {
            outages -= 1
            throw errors.UNAVAILABLE({ message: 'The other side does not answer' })
          }
          done += 1
          return {}
        },
      }),
    }),
})

for (const store of STORES) {
  describe(`firings that fail on ${store.name}`, () => {
    const server = useTestKernel({ store, config: PATIENT, plugins: [errand], definition: shed({}) })
    const { submit, pass, firings, request } = shedOf(server)
    const only = async (name: string) => {
      const all = await firings(name)
      expect(all).toHaveLength(1)
      return all[0]
    }

    it('S8: what is out of reach is tried again after 1, 5, 25 and 125 s, under one entry', async () => {
      done = 0
      outages = 2
      await submit({ reach: { recurrence: '@hourly', action: 'errand' } })
      await pass(HOUR)
      expect(await only('reach')).toMatchObject({
        status: 'running',
        attempts: 1,
        firedAt: null,
        error: { code: 'UNAVAILABLE', message: 'The other side does not answer' },
      })
      const { status, body } = await request(
        'POST',
        `/schedules/firings/${String((await only('reach'))?.['id'])}/retry`,
      )
      expect([status, body.error_message]).toEqual([409, 'The firing has not failed: it is running'])
      await pass(SECOND - 1)
      expect(await only('reach')).toMatchObject({ attempts: 1 })
      await pass(1)
      expect(await only('reach')).toMatchObject({ status: 'running', attempts: 2 })
      await pass(5 * SECOND)
      expect(await only('reach')).toMatchObject({ status: 'fired', attempts: 3, error: null })
      expect(done).toBe(1)
    })

    it('S8: after the last try it has failed until somebody retries', async () => {
      done = 0
      outages = 5
      await submit({ far: { recurrence: '@hourly', action: 'errand' } })
      await pass(HOUR)
      for (const seconds of [1, 5, 25, 125]) await pass(seconds * SECOND)
      const failed = await only('far')
      expect(failed).toMatchObject({ status: 'failed', attempts: 5, error: { code: 'UNAVAILABLE' } })
      const retry = await request('POST', `/schedules/firings/${String(failed?.['id'])}/retry`)
      expect(retry).toMatchObject({ status: 200, data: { status: 'running' } })
      await pass(0)
      expect(await only('far')).toMatchObject({ status: 'fired', attempts: 6 })
      expect(done).toBe(1)
    })

    it('S8: an outage after a retry is waited for as any other', async () => {
      done = 0
      outages = 7
      await submit({ again: { recurrence: '@hourly', action: 'errand' } })
      await pass(HOUR)
      for (const seconds of [1, 5, 25, 125]) await pass(seconds * SECOND)
      const failed = await only('again')
      expect(failed).toMatchObject({ status: 'failed', attempts: 5 })
      await request('POST', `/schedules/firings/${String(failed?.['id'])}/retry`)
      await pass(0)
      expect(await only('again')).toMatchObject({ status: 'running', attempts: 6, firedAt: null })
      await pass(SECOND)
      expect(await only('again')).toMatchObject({ status: 'running', attempts: 7 })
      await pass(5 * SECOND)
      expect(await only('again')).toMatchObject({ status: 'fired', attempts: 8, error: null })
      expect(done).toBe(1)
    })
  })
}
