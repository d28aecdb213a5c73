import { AutomationCapability } from '@svc/automation/contract'
import { definePlugin, SYSTEM } from '@svc/kernel'
import { describe, expect, it, vi } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { createProbing } from '../blocks/probe.ts'
import { DAY, HOUR, MINUTE, PATIENT, shed, shedOf } from './shed.ts'

const dayAfter = (now: string, days: number): string =>
  new Date(Date.parse(now) + days * DAY).toISOString().slice(0, 10)

/** Lets work go on that takes its time. */
let release: () => void = () => undefined
let begun = 0

const slowly = definePlugin({
  name: 'slowly',
  phase: 'domain',
  requires: { automation: AutomationCapability },
  setup: ({ automation }) =>
    automation.performs('ponder', {
      compile: () => ({
        expressions: [],
        async perform() {
          begun += 1
          await new Promise<void>((resolve) => (release = resolve))
          return {}
        },
      }),
    }),
})

type Entry = Record<string, unknown> | undefined
const resultOf = (entry: Entry) => (entry?.['result'] as { recordId: string } | undefined)?.recordId ?? ''
const errorsOf = (entry: Entry) => (entry?.['errors'] ?? []) as readonly { readonly recordId: string }[]

const of = (title: string) => ({ source: { resource: 'Tool', filter: `title == '${title}'` } })

for (const store of STORES) {
  const probing = createProbing()
  describe(`firings on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      config: PATIENT,
      plugins: [slowly, probing.plugin],
      definition: shed({}),
    })
    const { submit, pass, lines, firings, request, tool, now } = shedOf(server)

    it('S14: a firing is exactly this, whatever became of it', async () => {
      const id = '01890000-0000-7000-8000-000000000000'
      const dueOn = dayAfter(now(), 5)
      await submit({
        shape: {
          ...of('shaped'),
          relativeTo: 'dueOn',
          action: 'create',
          target: 'Line',
          input: { text: '{note}', toolId: '$record.id' },
          notification: { channels: ['log'], template: { body: 'It is done for {title}' } },
          tiers: [{ daysUntil: 3 }, { daysUntil: 2 }, { daysUntil: 1, skipIf: "status == 'busy'" }],
        },
      })
      expect((await request('GET', `/schedules/firings/${id}`)).status).toBe(404)
      const fired = await tool({ title: 'shaped', dueOn })
      const skipped = await tool({ title: 'shaped', status: 'busy', dueOn })
      const failed = await tool({ title: 'shaped', note: 'x'.repeat(201), dueOn })
      await pass(4 * DAY + 12 * HOUR)
      const all = await firings('shape')
      const plannedAt = (days: number) => `${dayAfter(dueOn, -days)}T00:00:00.000Z`
      const common = {
        schedule: 'shape',
        action: 'create',
        resource: 'Tool',
        run: null,
        attempts: 1,
        count: 1,
      }
      const entry = (recordId: string, daysUntil: number, more: object) => ({
        ...common,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        recordId,
        tag: String(daysUntil),
        plannedAt: plannedAt(daysUntil),
        firedAt: now(),
        result: null,
        error: null,
        errors: [],
        ...more,
      })
      const superseded = (recordId: string) => [
        entry(recordId, 3, { status: 'superseded' }),
        entry(recordId, 2, { status: 'superseded' }),
      ]
      expect(all).toHaveLength(9)
      expect(all).toEqual(
        expect.arrayContaining([
          ...[fired, skipped, failed].flatMap(superseded),
          entry(skipped, 1, { status: 'skipped' }),
          entry(failed, 1, {
            status: 'failed',
            error: {
              code: 'VALIDATION_ERROR',
              message: expect.stringContaining('(text: must be at most 200 characters long)'),
            },
          }),
          entry(fired, 1, {
            status: 'fired',
            result: {
              recordId: expect.any(String),
              instanceId: null,
              documentId: null,
              notificationIds: [expect.any(String)],
            },
          }),
        ]),
      )
      // S8: action, mark, entry and notification of a record are one: of what failed nothing else is left.
      const written = await lines()
      expect(written.map(({ toolId }) => toolId)).toEqual([fired])
      const told = (await request('GET', '/notifications')).data.items
      expect(told).toMatchObject([{ recordId: fired, body: 'It is done for shaped', status: 'logged' }])
      const one = all.find(({ status }) => status === 'fired')
      expect(told[0].source).toEqual({ kind: 'schedule', name: 'shape', step: '1', id: one?.['id'] })
      expect(one?.['result']).toMatchObject({ recordId: written[0]?.['id'], notificationIds: [told[0].id] })
      expect((await request('GET', `/schedules/firings/${String(one?.['id'])}`)).data).toEqual(one)
      for (const [query, count] of [
        ['status=superseded', 6],
        [`recordId=${fired}`, 3],
        ['tag=1', 3],
        [`after=${now()}`, 0],
        ['limit=2', 2],
      ] as const)
        expect([query, await firings('shape', `&${query}`)]).toMatchObject([query, { length: count }])
    })

    it('S7: the tag of a recurring firing is its planned moment', async () => {
      await submit({ plain: { recurrence: 'hourly', action: 'noop' } })
      await pass(HOUR)
      const [entry] = await firings('plain')
      expect(entry?.['tag']).toBe(entry?.['plannedAt'])
      expect(entry).toMatchObject({ recordId: null, resource: null, count: 1, result: { recordId: null } })
    })

    it('S9: transition, archive and delete are done to each record of a batch', async () => {
      await submit({
        gone: {
          ...of('batched'),
          relativeTo: 'dueOn',
          batched: true,
          action: 'archive',
          notification: { channels: ['log'], template: { body: '{$count}: {#each $records}{note} {/each}' } },
        },
      })
      const dueOn = dayAfter(now(), 1)
      const ids = [
        await tool({ title: 'batched', note: 'a', dueOn }),
        await tool({ title: 'batched', note: 'b', dueOn }),
      ]
      await pass(2 * DAY)
      const all = await firings('gone')
      expect(all).toMatchObject([{ status: 'fired', count: 2, recordId: null, errors: [] }])
      for (const id of ids) expect((await request('GET', `/tools/${id}`)).status).toBe(404)
      const told = (await request('GET', '/notifications?source=gone')).data.items
      expect(told.map(({ body }: { body: string }) => body)).toEqual(['2: a b '])
    })

    it('S11: work that outlasts a heartbeat is neither doubled nor stopped', async () => {
      begun = 0
      await submit({ long: { recurrence: 'hourly', action: 'ponder' } })
      server().clock.advance(HOUR)
      const first = server().kernel.callAs(SYSTEM)('jobs.tick', {})
      await vi.waitFor(() => expect(begun).toBe(1))
      // Heartbeats come and go, and the work goes on.
      for (let beat = 0; beat < 3; beat += 1) {
        server().clock.advance(MINUTE)
        await request('GET', '/schedules/long')
      }
      expect(begun).toBe(1)
      expect(await firings('long')).toEqual([])
      release()
      await first
      expect(begun).toBe(1)
      expect(await firings('long')).toMatchObject([{ status: 'fired', attempts: 1 }])
    })

    it("S12: $nextOccurrence of tiers is the record's next one, or null; $now is when the work is done", async () => {
      await submit({
        said: {
          ...of('said'),
          relativeTo: 'dueOn',
          action: 'create',
          target: 'Line',
          input: { text: '{$occurrence} {$nextOccurrence} {today()}', at: '$now' },
          tiers: [{ daysUntil: 4 }, { daysUntil: 1 }],
        },
      })
      const dueOn = dayAfter(now(), 5)
      const id = await tool({ title: 'said', dueOn })
      await server().kernel.callAs(SYSTEM)('jobs.tick', {})
      const moment = (days: number) => `${dayAfter(dueOn, -days)}T00:00:00.000Z`
      await pass(Date.parse(moment(4)) - Date.parse(now()) + HOUR)
      const later = now()
      await pass(Date.parse(moment(1)) - Date.parse(now()) + HOUR)
      const written = await lines('&text[contains]=T')
      expect(written.filter(({ text }) => String(text).includes(moment(4).slice(0, 10)))).toMatchObject([
        { text: `${moment(4)} ${moment(1)} ${later.slice(0, 10)}`, at: later },
      ])
      const [last] = await firings('said', '&tag=1')
      expect(last).toMatchObject({ recordId: id, status: 'fired', firedAt: now() })
      const { data } = await request('GET', `/lines/${resultOf(last)}`)
      expect(data).toMatchObject({ text: `${moment(1)}  ${now().slice(0, 10)}`, at: now() })
    })

    it('S13: a run goes through a large source some records at a time, and fires for each', async () => {
      const count = 1100
      for (let made = 0; made < count; made += 100)
        await request('POST', '/tools/bulk', {
          items: Array.from({ length: 100 }, () => ({ title: 'many' })),
        })
      await submit({
        many: { recurrence: '@yearly', enabled: false, batched: true, ...of('many'), action: 'noop' },
      })
      const { data, status } = await request('POST', '/schedules/many/run', {})
      expect([status, data.count]).toEqual([202, count])
      await pass(0)
      const all = await firings('many', `&run=${data.run}`)
      expect(all.map((one) => one['count']).toSorted()).toEqual([100, 1000])
      await pass(1)
      const again = await request('POST', '/schedules/many/run', { dryRun: true })
      expect([again.data.count, again.data.items.length]).toEqual([count, 1000])
    })

    it('erasing a record takes what batches say of it: messages, and tags that may be made of it', async () => {
      const { resources } = JSON.parse(shed({})).domain
      await submit(
        {
          odd: {
            ...of('erased'),
            relativeTo: 'dueOn',
            tag: '{note}',
            batched: true,
            action: 'update',
            input: { status: '$record.note', total: '$(total * 2)' },
          },
        },
        { resources: { ...resources, Line: { ...resources.Line, probe: {} } } },
      )
      const dueOn = dayAfter(now(), 1)
      const ids: string[] = []
      for (let at = 0; at < 2; at += 1)
        ids.push(await tool({ title: 'erased', note: 'Ann', total: 900, dueOn }))
      await pass(2 * DAY)
      const before = await firings('odd')
      expect(before).toMatchObject([{ tag: 'Ann', count: 2, errors: [{}, {}] }])
      probing.probe = (data) =>
        data.write({ caller: SYSTEM }, (writes) =>
          data.erase(data.model.resources.get('Tool')!, [ids[0]!], writes),
        )
      expect((await request('POST', '/lines/probe', {})).status).toBe(200)
      const [after] = await firings('odd')
      expect(after).toMatchObject({ tag: null, count: 2 })
      expect(after?.['errors']).toEqual(
        errorsOf(before[0]).map((one) => (one.recordId === ids[0] ? { ...one, error_message: '' } : one)),
      )
      // The mark holds all the same.
      await request('PATCH', `/tools/${ids[0]}`, { dueOn: dayAfter(now(), 1) })
      await pass(2 * DAY)
      expect(await firings('odd')).toHaveLength(1)
    })
  })
}
