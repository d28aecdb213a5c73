import { SYSTEM, type Kernel } from '@svc/kernel'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClock } from '../../kit/clock.ts'
import { startSecond } from '../../kit/second-server.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { DAY, HOUR, PATIENT, shed, SHED, shedOf } from './shed.ts'

const DUE = size('SCHEDULES_DUE', { smoke: 200, whole: 1000 })

const dayAfter = (now: string, days: number): string =>
  new Date(Date.parse(now) + days * DAY).toISOString().slice(0, 10)

for (const store of STORES) {
  describe(`schedules on several servers over one ${store.name}`, () => {
    const server = useTestKernel({ store, config: PATIENT, definition: shed({}) })
    const { submit, firings, request, now } = shedOf(server)
    const tick = (kernel: Kernel) => kernel.callAs(SYSTEM)('jobs.tick', {})

    /** Another server, whose clock shows another time. */
    const another = async (schedule: string, aheadMs: number) => {
      const clock = createClock(server().clock.now() + aheadMs)
      const second = await startSecond(server().database, clock)
      onTestFinished(() => second.stop())
      await vi.waitFor(
        async () => {
          const { status } = await second.request('GET', `${SHED}/schedules/${schedule}/next`, {
            token: server().admin,
          })
          expect(status).toBe(200)
        },
        { timeout: 10_000, interval: 20 },
      )
      return { ...second, clock }
    }
    const tools = async (title: string, dueOn: string) => {
      for (let made = 0; made < DUE; made += 100) {
        const items = Array.from({ length: Math.min(100, DUE - made) }, () => ({ title, dueOn }))
        const { status } = await request('POST', '/tools/bulk', { items })
        expect(status).toBe(201)
      }
    }
    const allFirings = async (schedule: string) => {
      const all: Record<string, unknown>[] = []
      for (let page = 1; ; page += 1) {
        const found = await firings(schedule, `&page=${page}`)
        all.push(...found)
        if (found.length < 500) return all
      }
    }

    it(`S7: ${DUE} due records fire once each on three servers, with clocks an hour apart`, async () => {
      await submit({
        count: {
          source: { resource: 'Tool', filter: "title == 'counted'" },
          relativeTo: 'dueOn',
          action: 'update',
          input: { total: '$(total + 1)' },
        },
      })
      const [ahead, behind] = [await another('count', HOUR), await another('count', -HOUR)]
      await tools('counted', dayAfter(now(), 1))
      for (const one of [server(), ahead, behind]) one.clock.advance(2 * DAY)
      await Promise.all([server(), ahead, behind].map(({ kernel }) => tick(kernel)))
      // What one of them has begun another one may still be at.
      await vi.waitFor(async () => expect(await allFirings('count')).toHaveLength(DUE), {
        timeout: 20_000,
        interval: 100,
      })
      const all = await allFirings('count')
      expect(new Set(all.map(({ recordId }) => recordId)).size).toBe(DUE)
      expect(all.every(({ status }) => status === 'fired')).toBe(true)
      const { data } = await request('GET', '/tools?title=counted&sort=-total&limit=1')
      expect(data.items).toMatchObject([{ total: 1 }])
    })

    it('S4: no change of a clock makes an occurrence happen twice', async () => {
      await submit({
        hour: { recurrence: 'hourly', action: 'create', target: 'Line', input: { text: 'once' } },
      })
      const other = await another('hour', 0)
      server().clock.advance(HOUR)
      other.clock.advance(HOUR)
      await Promise.all([server(), other].map(({ kernel }) => tick(kernel)))
      const before = await allFirings('hour')
      // It jumps back, and reaches the same hour once more.
      other.clock.advance(-3 * HOUR)
      await tick(other.kernel)
      other.clock.advance(3 * HOUR)
      await tick(other.kernel)
      expect(await allFirings('hour')).toHaveLength(before.length)
      expect(new Set(before.map(({ plannedAt }) => plannedAt)).size).toBe(before.length)
    })
  })
}
