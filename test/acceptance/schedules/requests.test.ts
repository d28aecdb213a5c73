import { SYSTEM } from '@svc/kernel'
import { column, StoreCapability, type Table } from '@svc/store/contract'
import { describe, expect, it, vi } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { DAY, HOUR, MINUTE, PATIENT, shed, SHED, shedOf } from './shed.ts'

const dayAfter = (now: string, days: number): string =>
  new Date(Date.parse(now) + days * DAY).toISOString().slice(0, 10)

process.env['SVC_DOMAIN_SIGNING'] = 'unspoken-0123456789-0123456789'

for (const store of STORES) {
  describe(`requests about schedules on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      config: PATIENT,
      without: ['reports'],
      definition: shed({}),
    })
    const { submit, pass, firings, request, tool, read, now } = shedOf(server)
    const note = {
      source: { resource: 'Tool', filter: "title == 'noted'" },
      action: 'update',
      input: { note: 'x' },
    }

    it('A11: lists and items show schedules as declared, with defaults, and when they are due', async () => {
      await submit({
        second: { recurrence: 'Every 2 HOURS', ...note },
        first: { relativeTo: 'dueOn', ...note, enabled: false, description: 'of tools' },
        third: { recurrence: '@daily', action: 'noop' },
      })
      const { data } = await request('GET', '/schedules')
      expect(data.items.map(({ name }: { name: string }) => name)).toEqual(['second', 'first', 'third'])
      expect(data.items[0]).toMatchObject({
        type: 'recurring',
        timezone: 'UTC',
        batched: false,
        catchUp: 'latest',
        enabled: true,
        overridden: false,
        nextAt: expect.stringMatching(/T\d\d:00:00.000Z$/),
        lastAt: null,
        lastStatus: null,
      })
      expect((await request('GET', '/schedules/first')).data).toMatchObject({
        type: 'relative',
        offset: '0d',
        enabled: false,
        nextAt: null,
        description: 'of tools',
      })
      expect((await request('GET', '/schedules?enabled=false')).data.items).toHaveLength(1)
      expect((await request('GET', '/schedules?resource=Tool')).data.items).toHaveLength(2)
      expect((await request('GET', '/schedules/forth')).status).toBe(404)
    })

    it('N8: a schedule tells variables as they are written, and of a channel its place', async () => {
      const notification = {
        channels: [
          {
            type: 'webhook',
            url: 'https://hooks.example.org/x?key=in-query',
            secret: '${SVC_DOMAIN_SIGNING}',
            headers: { 'x-key': 'in-header' },
          },
        ],
        template: { body: 'with ${SVC_DOMAIN_SIGNING}' },
      }
      await submit({
        hooked: { recurrence: 'daily', action: 'notify', notification },
        tiered: {
          ...note,
          relativeTo: 'dueOn',
          tiers: [{ daysUntil: 1, notification }],
        },
      })
      const hook = {
        channels: [{ type: 'webhook', url: 'https://hooks.example.org/x' }],
        template: { body: 'with ${SVC_DOMAIN_SIGNING}' },
      }
      const { items } = (await request('GET', '/schedules')).data
      expect(items).toMatchObject([{ notification: hook }, { tiers: [{ notification: hook }] }])
      expect(JSON.stringify(items)).not.toMatch(/unspoken|in-query|in-header/)
    })

    it('A11: everything needs the role admin', async () => {
      const { token } = await server().account('guest')
      for (const [method, path] of [
        ['GET', '/schedules'],
        ['GET', '/schedules/first'],
        ['PATCH', '/schedules/first'],
        ['GET', '/schedules/first/next'],
        ['POST', '/schedules/first/run'],
        ['GET', '/schedules/firings'],
        ['GET', '/schedules/firings/x'],
        ['POST', '/schedules/firings/x/retry'],
      ] as const) {
        const body = method === 'GET' ? {} : { body: {} }
        expect((await server().request(method, `${SHED}${path}`, { token, ...body })).status, path).toBe(403)
        expect((await server().request(method, `${SHED}${path}`, body)).status, path).toBe(401)
      }
    })

    it('A11: next tells what comes after `from`, count is brought into range, also while disabled', async () => {
      await submit({
        daily: { recurrence: 'daily at 06:00', timezone: 'Europe/London', enabled: false, action: 'noop' },
      })
      const { data } = await request('GET', '/schedules/daily/next?count=2&from=2026-03-28T12:00:00Z')
      expect(data).toEqual({
        schedule: 'daily',
        timezone: 'Europe/London',
        items: [
          { at: '2026-03-29T05:00:00.000Z', recordId: null, tag: null },
          { at: '2026-03-30T05:00:00.000Z', recordId: null, tag: null },
        ],
      })
      expect((await request('GET', '/schedules/daily/next')).data.items).toHaveLength(10)
      expect((await request('GET', '/schedules/daily/next?count=1000')).data.items).toHaveLength(100)
      expect((await request('GET', '/schedules/daily/next?count=0')).data.items).toHaveLength(1)
      expect((await request('GET', '/schedules/daily/next?count=-3')).data.items).toHaveLength(1)
      expect((await request('GET', '/schedules/dialy/next')).status).toBe(404)
    })

    it('A11: next refuses a count that is no whole number, and a moment that is none', async () => {
      for (const count of ['few', '', '1.5', '1e1', '0x5', 'NaN', 'Infinity', '10,5', '٣']) {
        const { status, body } = await request(
          'GET',
          `/schedules/daily/next?count=${encodeURIComponent(count)}`,
        )
        expect([count, status, body.error_code]).toEqual([count, 400, 'INVALID_QUERY'])
        expect(body.error_message).toBe(`'count' must be a whole number, not '${count}'`)
      }
      for (const from of ['soon', '', '2026-02-30T00:00:00Z', '12:00']) {
        const { status, body } = await request('GET', `/schedules/daily/next?from=${from}`)
        expect([from, status, body.error_code]).toEqual([from, 400, 'INVALID_QUERY'])
        expect(body.error_message).toContain("'from' must be a date and time")
      }
    })

    it('A11: next leaves out records that are marked, and tells tiers of those to come', async () => {
      await submit({
        steps: {
          source: note.source,
          relativeTo: 'dueOn',
          action: 'noop',
          tiers: [{ daysUntil: 3 }, { daysUntil: 1, tag: 'last' }],
        },
      })
      const id = await tool({ title: 'noted', dueOn: dayAfter(now(), 5) })
      expect((await request('GET', '/schedules/steps/next')).data.items).toEqual([
        { at: `${dayAfter(now(), 2)}T00:00:00.000Z`, recordId: id, tag: '3' },
        { at: `${dayAfter(now(), 4)}T00:00:00.000Z`, recordId: id, tag: 'last' },
      ])
      await pass(2 * DAY)
      expect(
        (await request('GET', `/schedules/steps/next?from=2026-01-01T00:00:00Z`)).data.items,
      ).toMatchObject([{ tag: 'last' }])
    })

    it('S13: run fires a recurring schedule as if it occurred now, enabled or not, and marks hold', async () => {
      const other = await tool({ title: 'ran' })
      const id = await tool({ title: 'ran' })
      await submit({
        ran: {
          recurrence: '@yearly',
          enabled: false,
          tag: 'told',
          source: { resource: 'Tool', filter: "title == 'ran'" },
          action: 'update',
          input: { note: 'ran' },
        },
      })
      const dry = await request('POST', '/schedules/ran/run', { dryRun: true })
      expect(dry).toMatchObject({ status: 200, data: { schedule: 'ran', plannedAt: now(), count: 2 } })
      expect(dry.data.items).toEqual(
        expect.arrayContaining([{ recordId: id, tag: 'told', action: 'update', outcome: 'fire' }]),
      )
      expect(dry.data.run).toBeUndefined()
      expect(await firings('ran')).toEqual([])
      const one = await request('POST', '/schedules/ran/run', { recordId: id })
      expect(one).toMatchObject({
        status: 202,
        data: { schedule: 'ran', plannedAt: now(), count: 1, run: expect.any(String) },
      })
      await pass(0)
      expect(await firings('ran')).toMatchObject([
        { recordId: id, run: one.data.run, status: 'fired', tag: 'told' },
      ])
      const rest = await request('POST', '/schedules/ran/run')
      expect(rest.data.count).toBe(1)
      await pass(0)
      expect((await firings('ran', `&run=${rest.data.run}`)).map(({ recordId }) => recordId)).toEqual([other])
      expect((await request('POST', '/schedules/ran/run', { recordId: 'nothing' })).status).toBe(404)
    })

    it('S13: run of tiers is as at a heartbeat; a dry run tells what is superseded', async () => {
      const id = await tool({ title: 'tried', dueOn: dayAfter(now(), 1) })
      await submit({
        tried: {
          source: { resource: 'Tool', filter: "title == 'tried'" },
          relativeTo: 'dueOn',
          enabled: false,
          action: 'noop',
          tiers: [{ daysUntil: 5 }, { daysUntil: 2 }, { daysUntil: 0 }],
        },
      })
      const { data } = await request('POST', '/schedules/tried/run', { dryRun: true })
      expect(data).toMatchObject({
        count: 2,
        items: [
          { recordId: id, tag: '2', outcome: 'fire' },
          { tag: '5', outcome: 'supersede' },
        ],
      })
      await request('POST', '/schedules/tried/run')
      await pass(0)
      expect((await firings('tried')).map(({ tag, status }) => [tag, status]).sort()).toEqual([
        ['2', 'fired'],
        ['5', 'superseded'],
      ])
    })

    it('A10: a switch counts at once; occurrences while it was off are not made up for, relative firings are', async () => {
      await submit({
        beat: { recurrence: 'hourly', action: 'noop' },
        date: {
          source: { resource: 'Tool', filter: "title == 'switched'" },
          relativeTo: 'dueOn',
          action: 'noop',
        },
      })
      await tool({ title: 'switched', dueOn: dayAfter(now(), 1) })
      const off = await request('PATCH', '/schedules/beat', { enabled: false })
      expect(off).toMatchObject({ status: 200, data: { enabled: false, overridden: true, nextAt: null } })
      await request('PATCH', '/schedules/date', { enabled: false })
      await pass(2 * DAY)
      expect(await firings('beat')).toEqual([])
      expect(await firings('date')).toEqual([])
      await request('PATCH', '/schedules/beat', { enabled: null })
      await request('PATCH', '/schedules/date', { enabled: true })
      await vi.waitFor(async () =>
        expect((await request('GET', '/schedules/beat')).data.nextAt > now()).toBe(true),
      )
      await pass(0)
      expect(await firings('beat')).toEqual([])
      expect(await firings('date')).toHaveLength(1)
      await pass(HOUR)
      expect(await firings('beat')).toHaveLength(1)
    })

    it('A10: what would have occurred while it was off is not made up for, however late that is noted', async () => {
      await submit({ late: { recurrence: 'hourly', action: 'noop' } })
      const states: Table = {
        name: 'shed__schedules__states',
        columns: [column('name', 'text'), column('enabled', 'boolean'), column('offAt', 'datetime', true)],
        primaryKey: [],
        indexes: [],
        foreignKeys: [],
      }
      const where = { op: 'eq', column: states.columns[0]!, value: 'late' } as const
      const store = server().kernel.get(StoreCapability)
      await request('PATCH', '/schedules/late', { enabled: false })
      const noted = async () => {
        const rows = await store.select({ table: states, columns: states.columns, where, order: [] })
        expect(rows).toMatchObject([{ enabled: false }])
      }
      await vi.waitFor(noted)
      // As a server leaves it that was killed before it could note it.
      const set = { enabled: true, offAt: null }
      await store.transaction((writes) => writes.update({ table: states, set, where }))
      await pass(2 * DAY)
      const restarted = await startSecond(server().database, server().clock, [], PATIENT)
      await vi.waitFor(noted)
      await restarted.stop()
      await request('PATCH', '/schedules/late', { enabled: true })
      await vi.waitFor(async () =>
        expect((await request('GET', '/schedules/late')).data.nextAt > now()).toBe(true),
      )
      await pass(0)
      expect(await firings('late')).toEqual([])
      await pass(HOUR)
      expect(await firings('late')).toHaveLength(1)
    })

    it('A10, S10: an occurrence between its moment and the heartbeat is not lost by a switch', async () => {
      await submit({
        kept: { recurrence: 'hourly', action: 'noop' },
        none: { recurrence: 'hourly', catchUp: 'none', action: 'noop' },
      })
      const names = ['kept', 'none']
      const planned = (await request('GET', '/schedules/kept/next?count=1')).data.items[0].at
      const switchAll = async (enabled: boolean) => {
        for (const name of names) await request('PATCH', `/schedules/${name}`, { enabled })
        // What was switched is noted a moment later.
        await vi.waitFor(async () => {
          await server().kernel.callAs(SYSTEM)('jobs.tick', {})
          for (const name of names) {
            const { data } = await request('GET', `/schedules/${name}`)
            expect([data.enabled, data.nextAt === null || data.nextAt > now()]).toEqual([enabled, true])
          }
        })
      }
      // The clock moves past the moment, and nobody has looked yet.
      server().clock.advance(Date.parse(planned) - Date.parse(now()) + 1000)
      await switchAll(false)
      await pass(5 * HOUR)
      for (const name of names) expect(await firings(name)).toEqual([])
      await switchAll(true)
      await pass(0)
      // It was planned while the schedule was on: it is made up for. What came while it was off is not.
      expect(await firings('kept')).toMatchObject([{ plannedAt: planned, status: 'fired' }])
      expect(await firings('none')).toEqual([])
    })

    it('S12: variables are those of the planned moment', async () => {
      const id = await tool({ title: 'varied' })
      await submit({
        varied: {
          recurrence: 'monthly on 1st at 02:00',
          timezone: 'America/New_York',
          source: { resource: 'Tool', filter: "title == 'varied'" },
          action: 'update',
          input: {
            note: "$(concat($currentQuarter, ' ', $currentYear, ' ', $occurrence, ' ', $nextOccurrence))",
          },
        },
      })
      const { data } = await request('GET', '/schedules/varied/next?count=2')
      const [first, second] = data.items
      await pass(Date.parse(first.at) - Date.parse(now()) + MINUTE)
      const planned = new Date(first.at)
      const quarter = Math.ceil((planned.getUTCMonth() + 1) / 3)
      expect(await read(id)).toMatchObject({
        note: `${quarter} ${planned.getUTCFullYear()} ${first.at} ${second.at}`,
      })
    })

    it('A12: the bus hears of firings after the commit', async () => {
      const heard: unknown[] = []
      const { kernel } = server()
      await submit({ told: { recurrence: 'hourly', action: 'noop' } })
      const off = kernel.bus.on('svc.shed.schedule.told.fired', (event: unknown) => void heard.push(event))
      await pass(HOUR)
      off()
      const [entry] = await firings('told')
      expect(heard).toEqual([
        { id: entry?.['id'], domain: 'shed', name: 'schedule.told.fired', at: entry?.['firedAt'], entry },
      ])
    })

    it('A7: what no plugin does is warned of at submit and fails as UNSUPPORTED', async () => {
      await submit({ print: { recurrence: 'hourly', action: 'report', target: 'sales' } })
      await pass(HOUR)
      expect(await firings('print')).toMatchObject([{ status: 'failed', error: { code: 'UNSUPPORTED' } }])
    })
  })
}
