import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { DAY, HOUR, MINUTE, PATIENT, shed, shedOf } from './shed.ts'

for (const store of STORES) {
  describe(`recurring schedules on ${store.name}`, () => {
    const server = useTestKernel({ store, config: PATIENT, definition: shed({}) })
    const { submit, pass, lines, firings, request, tool, read, now } = shedOf(server)

    it('S4: a recurring schedule without a source does its action once an occurrence', async () => {
      await submit({
        hourly: { recurrence: 'hourly', action: 'create', target: 'Line', input: { text: 'tick' } },
      })
      expect(await firings('hourly')).toEqual([])
      await pass(HOUR)
      await pass(0)
      expect(await firings('hourly')).toMatchObject([
        {
          status: 'fired',
          action: 'create',
          recordId: null,
          resource: null,
          attempts: 1,
          count: 1,
          run: null,
        },
      ])
      const written = await lines()
      expect(written).toHaveLength(1)
      await pass(HOUR)
      expect(await lines()).toHaveLength(2)
    })

    it('S4: with a source it does it for each record that then matches the filter, in key order', async () => {
      const open = [await tool({ status: 'open' }), await tool({ status: 'open' })]
      const closed = await tool({ status: 'closed' })
      const deleted = await tool({ status: 'open' })
      await request('DELETE', `/tools/${deleted}`)
      await submit({
        close: {
          recurrence: 'daily at 06:00',
          source: { resource: 'Tool', filter: "status == 'open'" },
          action: 'update',
          input: { status: 'seen', note: '$occurrence' },
        },
      })
      await pass(DAY)
      const fired = await firings('close')
      expect(fired.map(({ recordId }) => recordId).sort()).toEqual([...open].sort())
      expect(await read(open[0] ?? '')).toMatchObject({ status: 'seen', note: '2026-03-02T06:00:00.000Z' })
      expect(await read(closed)).toMatchObject({ status: 'closed' })
    })

    it('S10: what was missed is made up for once, unless said', async () => {
      const of = { action: 'create', target: 'Line', input: { text: 'late' } }
      await submit({
        latest: { recurrence: 'every 10 minutes', ...of },
        all: { recurrence: 'every 10 minutes', catchUp: 'all', ...of },
        none: { recurrence: 'hourly', catchUp: 'none', ...of },
      })
      await pass(3 * HOUR + 5 * MINUTE)
      expect(await firings('latest')).toHaveLength(1)
      const all = (await firings('all')).map(({ plannedAt }) => plannedAt)
      expect(all).toHaveLength(18)
      expect(all).toEqual([...all].sort())
      expect(await firings('none')).toEqual([])
    })

    it('A3: the filter of the source knows the planned moment', async () => {
      await submit({
        yearly: {
          recurrence: 'hourly',
          source: {
            resource: 'Tool',
            filter:
              "title == 'of the year' and total == $currentYear - 2000 and dueAt > $occurrence and dueAt <= $nextOccurrence",
          },
          action: 'noop',
        },
        dated: {
          source: { resource: 'Tool', filter: "title == 'of the year' and total == $currentYear - 2000" },
          relativeTo: 'dueAt',
          action: 'noop',
        },
      })
      const total = new Date(now()).getUTCFullYear() - 2000
      const [{ at }] = (await request('GET', '/schedules/yearly/next?count=1')).data.items
      const dueAt = new Date(Date.parse(at) + HOUR).toISOString()
      const id = await tool({ title: 'of the year', total, dueAt })
      await tool({ title: 'of the year', total: 1, dueAt })
      await pass(Date.parse(at) - Date.parse(now()))
      expect(await firings('yearly')).toMatchObject([{ recordId: id, plannedAt: at }])
      expect((await request('GET', '/schedules/dated/next')).data.items).toMatchObject([{ recordId: id }])
      await pass(MINUTE)
      expect((await request('POST', '/schedules/yearly/run', { dryRun: true })).data.count).toBe(1)
      await pass(HOUR)
      expect(await firings('dated')).toMatchObject([{ recordId: id }])
    })
  })
}
