import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { DAY, HOUR, MINUTE, PATIENT, shed, shedOf } from './shed.ts'

for (const store of STORES) {
  describe(`schedules and time on ${store.name}`, () => {
    const server = useTestKernel({ store, config: PATIENT, definition: shed({}) })
    const { submit, pass, firings, request, tool, now } = shedOf(server)
    const until = (moment: string) => pass(Date.parse(moment) - Date.parse(now()))
    const planned = async (name: string) => (await firings(name)).map(({ plannedAt }) => plannedAt)

    // The clock starts at 2026-03-01T12:00:00Z and is moved forward alone.
    it('S3: downtime across a change of the clocks: what the gap skips occurs once, after it', async () => {
      await submit({
        night: { recurrence: 'daily at 01:30', timezone: 'Europe/London', catchUp: 'all', action: 'noop' },
      })
      await until('2026-03-30T12:00:00Z')
      expect((await planned('night')).slice(-3)).toEqual([
        '2026-03-28T01:30:00.000Z',
        '2026-03-29T01:00:00.000Z',
        '2026-03-30T00:30:00.000Z',
      ])
    })

    it('S11: a firing comes no earlier than planned', async () => {
      await submit({ prompt: { recurrence: 'hourly at :30', action: 'noop' } })
      const { data } = await request('GET', '/schedules/prompt/next?count=1')
      const [{ at }] = data.items
      await until(new Date(Date.parse(at) - 1).toISOString())
      expect(await firings('prompt')).toEqual([])
      await pass(1)
      expect(await firings('prompt')).toMatchObject([{ plannedAt: at, firedAt: at }])
    })

    it('S11: a recurrence that is shorter than the heartbeat fires once a heartbeat', async () => {
      await submit({ often: { recurrence: 'every 5 seconds', action: 'noop' } })
      await pass(MINUTE)
      expect(await firings('often')).toHaveLength(1)
      await pass(MINUTE)
      expect(await firings('often')).toHaveLength(2)
    })

    it('S2: every so many days counts from the day of the first submit, until the text changes', async () => {
      await submit({ rare: { recurrence: 'every 10 days at 06:00', action: 'noop' } })
      const next = async () => (await request('GET', '/schedules/rare/next?count=1')).data.items[0].at
      const first = await next()
      expect(first).toBe(`${new Date(Date.parse(now()) + 10 * DAY).toISOString().slice(0, 10)}T06:00:00.000Z`)
      await pass(3 * DAY)
      await submit({
        rare: { recurrence: 'Every 10 days   at 6:00', action: 'noop', description: 'the same' },
      })
      expect(await next()).toBe(first)
      await submit({ rare: { recurrence: 'every 10 days at 07:00', action: 'noop' } })
      expect(await next()).toBe(
        `${new Date(Date.parse(now()) + 10 * DAY).toISOString().slice(0, 10)}T07:00:00.000Z`,
      )
    })

    it('A2: an offset by the calendar falls on the last day of a shorter month', async () => {
      await submit({
        month: {
          source: { resource: 'Tool', filter: "title == 'month'" },
          relativeTo: 'dueOn',
          offset: '1mo',
          action: 'noop',
        },
      })
      const id = await tool({ title: 'month', dueOn: '2028-01-31' })
      expect((await request('GET', '/schedules/month/next')).data.items).toEqual([
        { at: '2028-02-29T00:00:00.000Z', recordId: id, tag: 'due' },
      ])
    })

    it('S10: a definition that is renamed between planned moment and firing is another schedule', async () => {
      const of = { recurrence: 'hourly', action: 'noop' }
      await submit({ before: of })
      server().clock.advance(HOUR)
      await submit({ after: of })
      await pass(0)
      expect(await firings('after')).toEqual([])
      await pass(HOUR)
      expect(await firings('after')).toHaveLength(1)
      expect(await firings('before')).toEqual([])
      await submit({ before: of })
      await pass(0)
      expect(await firings('before')).toEqual([])
    })

    it('S7: a relative schedule that is rolled back keeps its marks, and knows what was written meanwhile', async () => {
      const of = {
        source: { resource: 'Tool', filter: "title == 'rolled'" },
        relativeTo: 'dueOn',
        action: 'noop',
      }
      const dueOn = new Date(Date.parse(now()) + 2 * DAY).toISOString().slice(0, 10)
      await submit({ rolled: of })
      const first = await tool({ title: 'rolled', dueOn })
      await submit({ other: { recurrence: '@yearly', action: 'noop' } })
      const second = await tool({ title: 'rolled', dueOn })
      await submit({ rolled: of })
      await pass(3 * DAY)
      expect((await firings('rolled')).map(({ recordId }) => recordId).sort()).toEqual([first, second].sort())
    })

    it('S5: a moment after the year 9999 or before the year 1 never comes, and holds up no other', async () => {
      const source = { resource: 'Tool', filter: "title == 'far'" }
      const before = await tool({ title: 'far', dueOn: '9999-12-31' })
      const near = await tool({ title: 'far', dueOn: new Date(Date.parse(now())).toISOString().slice(0, 10) })
      await submit({
        later: { source, relativeTo: 'dueOn', offset: '1d', action: 'noop' },
        sooner: { source, relativeTo: 'dueOn', action: 'noop', tiers: [{ daysUntil: 3650 }] },
      })
      await tool({ title: 'far', dueOn: '9999-12-31' })
      const ancient = await tool({ title: 'far', dueOn: '0001-01-01' })
      await request('PATCH', `/tools/${before}`, { dueOn: '0001-01-02' })
      await pass(2 * DAY)
      expect((await firings('later')).map(({ recordId }) => recordId)).toEqual([near])
      for (const name of ['later', 'sooner'])
        for (const from of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
          const { status, data } = await request('GET', `/schedules/${name}/next?from=${from}`)
          const told = data?.items.map(({ recordId }: { recordId: string }) => recordId)
          expect([status, told?.includes(ancient)]).toEqual([200, false])
        }
    })

    it('S7: another tag fires once more for what is due already', async () => {
      const of = (tag: string) => ({
        source: { resource: 'Tool', filter: "title == 'tagged'" },
        relativeTo: 'dueOn',
        tag,
        action: 'noop',
      })
      await submit({ tagged: of('one') })
      await tool({ title: 'tagged', dueOn: new Date(Date.parse(now()) + DAY).toISOString().slice(0, 10) })
      await pass(2 * DAY)
      for (const tag of ['two', 'one']) await submit({ tagged: of(tag) }).then(() => pass(MINUTE))
      expect((await firings('tagged')).map(({ tag }) => tag)).toEqual(['one', 'two'])
    })
  })
}
