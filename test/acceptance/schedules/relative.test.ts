import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { DAY, HOUR, MINUTE, PATIENT, shed, shedOf } from './shed.ts'

const dayAfter = (now: string, days: number): string =>
  new Date(Date.parse(now) + days * DAY).toISOString().slice(0, 10)

for (const store of STORES) {
  describe(`relative schedules on ${store.name}`, () => {
    const server = useTestKernel({ store, config: PATIENT, definition: shed({}) })
    const { submit, pass, firings, request, tool, read, now } = shedOf(server)
    const told = (all: readonly Record<string, unknown>[]) =>
      all.map(({ tag, status, plannedAt }) => [tag, status, String(plannedAt).slice(0, 16)])

    it('S5: it is due at the date plus the offset, which begins at 00:00 of the zone, and fires once', async () => {
      await submit({
        remind: {
          timezone: 'Europe/London',
          source: { resource: 'Tool', filter: "status == 'open'" },
          relativeTo: 'dueOn',
          offset: '-1d',
          action: 'update',
          input: { note: 'tomorrow' },
        },
      })
      const dueOn = dayAfter(now(), 40)
      const id = await tool({ status: 'open', dueOn })
      const { data } = await request('GET', '/schedules/remind/next')
      const at = `${dayAfter(now(), 38)}T23:00:00.000Z`
      expect(data).toEqual({
        schedule: 'remind',
        timezone: 'Europe/London',
        items: [{ at, recordId: id, tag: 'due' }],
      })
      await pass(Date.parse(at) - Date.parse(now()) - 1)
      expect(await firings('remind')).toEqual([])
      await pass(1)
      await pass(MINUTE)
      expect(await firings('remind')).toMatchObject([
        {
          status: 'fired',
          recordId: id,
          tag: 'due',
          plannedAt: at,
          resource: 'Tool',
          action: 'update',
          result: { recordId: id },
        },
      ])
      expect(await read(id)).toMatchObject({ note: 'tomorrow' })
      expect((await request('GET', '/schedules/remind/next')).data.items).toEqual([])
    })

    it('S5: `at` is the time of that day; a datetime with an offset of hours is due to the second', async () => {
      await submit({
        morning: {
          source: { resource: 'Tool' },
          relativeTo: 'dueAt',
          offset: '1d',
          at: '08:30',
          action: 'noop',
        },
        soon: { source: { resource: 'Tool' }, relativeTo: 'dueAt', offset: '-90m', action: 'noop' },
      })
      const dueAt = new Date(Date.parse(now()) + 5 * HOUR).toISOString()
      await tool({ dueAt })
      expect((await request('GET', '/schedules/soon/next')).data.items).toMatchObject([
        { at: new Date(Date.parse(dueAt) - 90 * MINUTE).toISOString() },
      ])
      expect((await request('GET', '/schedules/morning/next')).data.items).toMatchObject([
        { at: `${new Date(Date.parse(dueAt) + DAY).toISOString().slice(0, 10)}T08:30:00.000Z` },
      ])
    })

    it('S5: what was due and over before the first submit counts only if the date was still to come', async () => {
      const old = await tool({ title: 'old', dueOn: dayAfter(now(), -30) })
      const today = await tool({ title: 'today', dueOn: dayAfter(now(), 0) })
      const later = await tool({ title: 'later', dueOn: dayAfter(now(), 3) })
      await submit({
        fresh: {
          source: { resource: 'Tool', filter: "title in ['old', 'today', 'later']" },
          relativeTo: 'dueOn',
          offset: '-14d',
          action: 'noop',
        },
      })
      await pass(MINUTE)
      const fired = (await firings('fresh')).map(({ recordId }) => recordId)
      expect([...fired].sort()).toEqual([today, later].sort())
      expect(fired).not.toContain(old)
    })

    it('S5: what is due and matches the filter fires at the next heartbeat, however late', async () => {
      await submit({
        late: {
          source: { resource: 'Tool', filter: "status == 'ready'" },
          relativeTo: 'dueOn',
          action: 'noop',
        },
      })
      const id = await tool({ dueOn: dayAfter(now(), 2) })
      await pass(10 * DAY)
      expect(await firings('late')).toEqual([])
      await request('PATCH', `/tools/${id}`, { status: 'ready' })
      await pass(0)
      expect(await firings('late')).toMatchObject([{ recordId: id, status: 'fired' }])
    })

    it('S5: a filter that asks for the time is asked at each heartbeat', async () => {
      await submit({
        aged: {
          source: { resource: 'Tool', filter: 'title == "aged" and dueOn < addDays(today(), -5)' },
          relativeTo: 'dueOn',
          action: 'noop',
        },
      })
      const id = await tool({ title: 'aged', dueOn: dayAfter(now(), 1) })
      await pass(3 * DAY)
      expect(await firings('aged')).toEqual([])
      await pass(5 * DAY)
      expect(await firings('aged')).toMatchObject([{ recordId: id }])
    })

    it('S6: tiers fire on their days; a date that moves fires no tier twice', async () => {
      await submit({
        tiers: {
          source: { resource: 'Tool', filter: "title == 'tiered'" },
          relativeTo: 'dueOn',
          at: '09:00',
          action: 'update',
          input: { note: 'soon' },
          tiers: [
            { daysUntil: 7 },
            { daysUntil: 1, tag: 'last', input: { note: 'tomorrow' } },
            { daysUntil: -2, action: 'noop' },
          ],
        },
      })
      const id = await tool({ title: 'tiered', dueOn: dayAfter(now(), 10) })
      await pass(4 * DAY)
      expect(await read(id)).toMatchObject({ note: 'soon' })
      await request('PATCH', `/tools/${id}`, { dueOn: dayAfter(now(), 6) })
      await pass(DAY)
      await pass(5 * DAY)
      await pass(5 * DAY)
      expect((await firings('tiers')).map(({ tag, status, action }) => [tag, status, action])).toEqual([
        ['7', 'fired', 'update'],
        ['last', 'fired', 'update'],
        ['-2', 'fired', 'noop'],
      ])
      expect(await read(id)).toMatchObject({ note: 'tomorrow' })
    })

    it('S6: of several due at once the smallest daysUntil fires, the others are superseded', async () => {
      await submit({
        dunning: {
          source: { resource: 'Tool', filter: "title == 'owed'" },
          relativeTo: 'dueOn',
          action: 'noop',
          tiers: [{ daysUntil: 5 }, { daysUntil: 3 }, { daysUntil: 0 }],
        },
      })
      await tool({ title: 'owed', dueOn: dayAfter(now(), 2) })
      await pass(0)
      const first = told(await firings('dunning'))
      expect(first.map(([tag, status]) => [tag, status]).sort()).toEqual([
        ['3', 'fired'],
        ['5', 'superseded'],
      ])
      await pass(3 * DAY)
      expect(told(await firings('dunning'))).toHaveLength(3)
    })

    it('S7: once for a record and a tag, whatever becomes of date, filter and definition; a removed name holds its marks', async () => {
      const once = {
        source: { resource: 'Tool', filter: "title == 'once'" },
        relativeTo: 'dueOn',
        action: 'noop',
      }
      await submit({ once })
      const id = await tool({ title: 'once', dueOn: dayAfter(now(), 1) })
      await pass(2 * DAY)
      expect(await firings('once')).toHaveLength(1)
      await request('PATCH', `/tools/${id}`, { dueOn: dayAfter(now(), 1) })
      await pass(2 * DAY)
      await submit({ other: { ...once, offset: '1d' } })
      await submit({ once: { ...once, offset: '1h' } })
      await request('PATCH', `/tools/${id}`, { dueOn: dayAfter(now(), 1) })
      await pass(3 * DAY)
      expect(await firings('once')).toHaveLength(1)
    })

    it('S7: a tag that names the date fires again with each new date', async () => {
      await submit({
        renew: {
          source: { resource: 'Tool', filter: "title == 'renewed'" },
          relativeTo: 'dueOn',
          tag: '{dueOn}',
          action: 'noop',
        },
      })
      const [one, two] = [dayAfter(now(), 1), dayAfter(now(), 9)]
      const id = await tool({ title: 'renewed', dueOn: one })
      await pass(2 * DAY)
      await request('PATCH', `/tools/${id}`, { dueOn: two })
      await pass(10 * DAY)
      expect((await firings('renew')).map(({ tag }) => tag)).toEqual([one, two])
    })

    it('S7, A5: a tag is a text of the text language: conditions, pipes, braces', async () => {
      await submit({
        spoken: {
          source: { resource: 'Tool', filter: "status == 'spoken'" },
          relativeTo: 'dueOn',
          tag: '\\{{#if total > 5}big{:else}small{/if}} {title | upper} {note}',
          action: 'noop',
        },
      })
      const dueOn = dayAfter(now(), 1)
      for (const total of [9, 1]) await tool({ status: 'spoken', title: 'a saw', total, dueOn })
      await pass(2 * DAY)
      expect((await firings('spoken')).map(({ tag }) => tag).sort()).toEqual([
        '{big} A SAW ',
        '{small} A SAW ',
      ])
    })

    it('S8: a record for which skipIf is true is entered as skipped and has had its firing', async () => {
      await submit({
        skip: {
          source: { resource: 'Tool', filter: "title == 'skipped'" },
          relativeTo: 'dueOn',
          skipIf: "status == 'busy'",
          action: 'noop',
        },
      })
      const id = await tool({ title: 'skipped', status: 'busy', dueOn: dayAfter(now(), 1) })
      await pass(2 * DAY)
      await request('PATCH', `/tools/${id}`, { status: 'free' })
      await pass(DAY)
      expect(await firings('skip')).toMatchObject([{ status: 'skipped', recordId: id, result: null }])
    })

    it('S8: one that fails holds up no other, keeps its mark, and is set going again by retry', async () => {
      await submit({
        grow: {
          source: { resource: 'Tool', filter: "title == 'grown'" },
          relativeTo: 'dueOn',
          action: 'update',
          input: { total: '$(total * 2)' },
        },
      })
      const dueOn = dayAfter(now(), 1)
      const bad = await tool({ title: 'grown', total: 900, dueOn })
      const good = await tool({ title: 'grown', total: 4, dueOn })
      await pass(2 * DAY)
      expect(await read(good)).toMatchObject({ total: 8 })
      const [failed] = (await firings('grow')).filter(({ recordId }) => recordId === bad)
      expect(failed).toMatchObject({ status: 'failed', attempts: 1, error: { code: 'VALIDATION_ERROR' } })
      await pass(DAY)
      expect(await firings('grow')).toHaveLength(2)
      const retry = `/schedules/firings/${String(failed?.['id'])}/retry`
      await request('PATCH', `/tools/${bad}`, { total: 10 })
      expect(await request('POST', retry)).toMatchObject({ status: 200, data: { status: 'running' } })
      expect((await request('POST', retry)).status).toBe(409)
      await pass(0)
      expect((await request('GET', `/schedules/firings/${String(failed?.['id'])}`)).data).toMatchObject({
        status: 'fired',
        attempts: 2,
        error: null,
      })
      expect(await read(bad)).toMatchObject({ total: 20 })
      expect((await request('POST', retry)).status).toBe(409)
      expect((await request('POST', '/schedules/firings/nothing/retry')).status).toBe(404)
    })
  })
}
