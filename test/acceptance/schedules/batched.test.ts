import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { DAY, PATIENT, shed, shedOf } from './shed.ts'

const dayAfter = (now: string, days: number): string =>
  new Date(Date.parse(now) + days * DAY).toISOString().slice(0, 10)

for (const store of STORES) {
  describe(`batched schedules on ${store.name}`, () => {
    const server = useTestKernel({ store, config: PATIENT, definition: shed({}) })
    const { submit, pass, lines, firings, request, tool, read, now } = shedOf(server)

    it('S9: update writes each record in one transaction; one entry stands for the batch, one mark for each record', async () => {
      await submit({
        close: {
          source: { resource: 'Tool', filter: "title == 'batch'" },
          relativeTo: 'dueOn',
          batched: true,
          action: 'update',
          input: { total: '$(total * 2)', note: "$(concat('one of ', $count))" },
        },
      })
      const dueOn = dayAfter(now(), 1)
      const ids = []
      for (const total of [1, 2, 900]) ids.push(await tool({ title: 'batch', total, dueOn }))
      await pass(2 * DAY)
      const [entry, ...more] = await firings('close')
      expect(more).toEqual([])
      expect(entry).toMatchObject({ status: 'fired', count: 3, recordId: null, tag: 'due' })
      expect(entry?.['errors']).toEqual([
        {
          recordId: ids[2],
          error_code: 'VALIDATION_ERROR',
          error_message: expect.stringContaining('(total: '),
        },
      ])
      expect(await read(ids[0] ?? '')).toMatchObject({ total: 2, note: 'one of 3' })
      expect(await read(ids[2] ?? '')).toMatchObject({ total: 900 })
      const late = await tool({ title: 'batch', total: 5, dueOn: dayAfter(now(), 1) })
      await pass(2 * DAY)
      const [, second] = await firings('close')
      expect(second).toMatchObject({ count: 1 })
      expect(await read(late)).toMatchObject({ total: 10 })
    })

    it('S9: any other action happens once, with $records and $count; at most 1,000 a batch', async () => {
      await submit({
        tell: {
          recurrence: 'daily at 06:00',
          source: { resource: 'Tool', filter: "title == 'told'" },
          batched: true,
          skipIf: "status == 'busy'",
          action: 'create',
          target: 'Line',
          input: { number: '$count', text: '{#each $records as one}{one.total} {/each}' },
        },
      })
      for (const total of [3, 4]) await tool({ title: 'told', total })
      const busy = await tool({ title: 'told', status: 'busy' })
      await pass(DAY)
      const [line, ...more] = await lines('&text[contains]=3')
      expect(more).toEqual([])
      expect(line).toMatchObject({ number: 2 })
      const all = await firings('tell')
      expect(all.map(({ status, count, recordId }) => [status, count, recordId])).toEqual(
        expect.arrayContaining([
          ['fired', 2, null],
          ['skipped', 1, busy],
        ]),
      )
    })

    it('S9: a batch that fails is set going again with its records, under their marks', async () => {
      await submit({
        gather: {
          source: { resource: 'Tool', filter: "title == 'gathered'" },
          relativeTo: 'dueOn',
          batched: true,
          action: 'create',
          target: 'Line',
          input: { text: '{#each $records as one}{one.note}{/each}' },
        },
      })
      const dueOn = dayAfter(now(), 1)
      const long = await tool({ title: 'gathered', note: 'l'.repeat(150), dueOn })
      await tool({ title: 'gathered', note: 'x'.repeat(100), dueOn })
      await pass(2 * DAY)
      const [failed, ...more] = await firings('gather')
      expect(more).toEqual([])
      expect(failed).toMatchObject({ status: 'failed', count: 2, error: { code: 'VALIDATION_ERROR' } })
      await request('PATCH', `/tools/${long}`, { note: 'short' })
      await pass(DAY)
      expect(await firings('gather')).toHaveLength(1)
      await request('POST', `/schedules/firings/${String(failed?.['id'])}/retry`)
      await pass(0)
      expect(await firings('gather')).toMatchObject([{ status: 'fired', count: 2, attempts: 2 }])
    })

    it.for([true, false])(
      'S6, S7: of tiers whose texts say the same, the smallest daysUntil fires; batched: %s',
      async (batched) => {
        const name = batched ? 'together' : 'apart'
        await submit({
          [name]: {
            source: { resource: 'Tool', filter: `title == '${name}'` },
            relativeTo: 'dueOn',
            batched,
            action: 'noop',
            tiers: [
              { daysUntil: 5, tag: '{note}' },
              { daysUntil: 2, tag: '{status}' },
            ],
          },
        })
        const dueOn = dayAfter(now(), 1)
        await tool({ title: name, note: 'one', status: 'one', dueOn })
        await pass(0)
        await pass(DAY)
        const dry = await request('POST', `/schedules/${name}/run`, { dryRun: true })
        expect(dry.data.items).toEqual([])
        expect((await firings(name)).map(({ tag, status }) => [tag, status]).sort()).toEqual([
          ['one', 'fired'],
          ['one', 'superseded'],
        ])
      },
    )
  })
}
