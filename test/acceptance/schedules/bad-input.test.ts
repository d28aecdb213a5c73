import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { HOUR, PATIENT, shed, shedOf } from './shed.ts'

const noop = { action: 'noop' }
const ofTools = { source: { resource: 'Tool' } }
const due = { ...ofTools, relativeTo: 'dueOn', ...noop }
const daily = { recurrence: '@daily', ...noop }

/** What is wrong, where below the schedule, and what is told: the fault, and what to do about it. */
const FAULTS: readonly (readonly [schedule: object, path: string, says: string, hint: string])[] = [
  // When it recurs.
  [
    { recurrence: 'every 0 seconds', ...noop },
    'recurrence',
    "above zero, but found '0'",
    'Write every second',
  ],
  [{ recurrence: 'every -5 minutes', ...noop }, 'recurrence', "found '-'", ''],
  [{ recurrence: 'every 90 dyas', ...noop }, 'recurrence', 'at character 10', 'Did you mean days?'],
  [{ recurrence: 'daily at 25:00', ...noop }, 'recurrence', "found '25:00'", 'Write it as 08:30'],
  [{ recurrence: 'yearly on February 30', ...noop }, 'recurrence', 'February has the days 1 to 29', ''],
  [{ recurrence: 'yearly on April 31', ...noop }, 'recurrence', 'April has the days 1 to 30', ''],
  [{ recurrence: '0 0 30 2 *', ...noop }, 'recurrence', 'never occurs', 'Look for a day'],
  [{ recurrence: '* * * * * * *', ...noop }, 'recurrence', '', ''],
  [{ recurrence: '', ...noop }, 'recurrence', '', ''],
  [{ recurrence: 90, ...noop }, 'recurrence', '', ''],
  [{ recurrence: '@daily'.repeat(10_000), ...noop }, 'recurrence', '', ''],
  // Durations.
  [{ ...due, offset: '30x' }, 'offset', "'30x' is no duration", 'such as 48h'],
  [{ ...due, offset: '90 dyas' }, 'offset', "'90 dyas' is no duration", 'Did you mean 90d?'],
  [{ ...due, offset: '1.5h' }, 'offset', "'1.5h' is no duration", 'such as 48h'],
  [{ ...due, offset: '999999999d' }, 'offset', 'out of bounds', '3650d, before or after'],
  [{ ...due, offset: '-999999999d' }, 'offset', 'out of bounds', '3650d, before or after'],
  // Zones.
  [{ ...daily, timezone: 'Europe/Lodnon' }, 'timezone', 'no time zone', 'Did you mean Europe/London?'],
  [{ ...daily, timezone: '../../etc/passwd' }, 'timezone', 'no time zone', 'Europe/London'],
  [{ ...daily, timezone: '+25:00' }, 'timezone', 'no time zone', 'Europe/London'],
  // Tiers.
  [{ ...due, tiers: [] }, 'tiers', 'at least one', ''],
  [{ ...due, tiers: [{ daysUntil: 1 }, { daysUntil: 1 }] }, 'tiers.1.daysUntil', "the tag '1'", 'Give each'],
  [
    {
      ...due,
      tiers: [
        { daysUntil: 2, tag: 'a' },
        { daysUntil: 1, tag: 'a' },
      ],
    },
    'tiers.1.tag',
    "the tag 'a'",
    'Give each',
  ],
  [{ ...due, tiers: [{ daysUntil: 1.5 }] }, 'tiers.0.daysUntil', 'whole number', ''],
  [{ ...due, tiers: [{}] }, 'tiers.0.daysUntil', '', ''],
  [
    { ...due, tag: '{dueOn}', tiers: [{ daysUntil: 1 }, { daysUntil: 2 }] },
    'tag',
    'means nothing beside',
    'Give',
  ],
  // What would take away everything.
  [
    { ...ofTools, recurrence: '@daily', action: 'delete' },
    'source.filter',
    'missing',
    'Say which records go',
  ],
  [
    { ...ofTools, recurrence: '@daily', action: 'archive' },
    'source.filter',
    'missing',
    'Say which records go',
  ],
  [{ recurrence: '@daily', action: 'delete' }, '', 'no record is at hand', "'target' and 'recordId'"],
  // What is not there.
  [{ ...daily, source: { resource: 'Tol' } }, 'source.resource', "no resource 'Tol'", "Did you mean 'Tool'?"],
  [{ ...due, relativeTo: 'constructor' }, 'relativeTo', 'no field', 'It has'],
  [{ ...daily, source: { resource: 'Tool', filter: '__proto__ != null' } }, 'source.filter', '', ''],
  [{ ...daily, ...ofTools, skipIf: '$records != null' }, 'skipIf', '', ''],
  [{ ...due, tag: '{nothing}' }, 'tag', "'nothing' is not known here", ''],
  [{ ...due, tag: '{#each $records}x{/each}' }, 'tag', 'is not known here', ''],
]

for (const store of STORES) {
  describe(`bad input to schedules on ${store.name}`, () => {
    const server = useTestKernel({ store, config: PATIENT, definition: shed({}) })
    const { submit, pass, firings, request, tool } = shedOf(server)
    const post = async (content: string) =>
      server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content, allow_destructive: true },
      })

    it.each(FAULTS)('S1, S2, S6: %j is PARSE_ERROR with its line', async (schedule, path, says, hint) => {
      const content = JSON.stringify(JSON.parse(shed({ one: schedule })), null, 1)
      const { status, body } = await post(content)
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      const whole = `domain.schedules.one${path === '' ? '' : `.${path}`}`
      const found = body.errors.find((one: { path: string }) => one.path.startsWith(whole))
      expect(found ?? body.errors).toMatchObject({ message: expect.stringContaining(says) })
      expect(found.message).toContain(hint)
      // What is missing is told of what it is missing in.
      const parts = whole.split('.')
      const line = content.split('\n')[found.line - 1]
      expect(parts.some((part) => line?.includes(`"${part}"`)) || /^[{}]+$/.test(line?.trim() ?? '')).toBe(
        true,
      )
    })

    it('A1: resources whose paths the subsystem needs are refused, and fine where the key is not', async () => {
      const { domain } = JSON.parse(shed({ one: daily }))
      domain.resources.Schedule = { object: { title: 'string' } }
      const refused = await post(JSON.stringify({ domain }))
      expect([refused.status, refused.body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(refused.body.errors).toEqual([
        expect.objectContaining({ message: expect.stringContaining('api.path'), line: expect.any(Number) }),
      ])
      delete domain.schedules
      expect((await post(JSON.stringify({ domain }))).status).toBe(201)
    })

    const NOBODY = ['nothing', '__proto__', '%00', '..%2f..', "'%20or%201=1", 'x'.repeat(300), '%F0%9F%98%80']

    it('A11: what is not there is 404, whatever the name', async () => {
      await submit({ one: daily })
      for (const name of NOBODY)
        for (const [method, path, body] of [
          ['GET', `/schedules/${name}`],
          ['PATCH', `/schedules/${name}`, { enabled: false }],
          ['GET', `/schedules/${name}/next`],
          ['POST', `/schedules/${name}/run`, {}],
          ['GET', `/schedules/firings/${name}`],
          ['POST', `/schedules/firings/${name}/retry`, {}],
        ] as const) {
          const { status, body: answer } = await request(method, path, body)
          expect([method, path, status]).toEqual([
            method,
            path,
            name === '%00' ? expect.toSatisfy((one: number) => one === 400 || one === 404) : 404,
          ])
          if (status === 404) expect(answer.error_code).toBe('NOT_FOUND')
        }
    })

    it('A11: run is 404 for records that are not there, not its own, or given to what is about none', async () => {
      await submit({ one: daily, of: { ...daily, ...ofTools } })
      const { data: line } = await request('POST', '/lines', { text: 'a line' })
      const id = await tool({ title: 'gone' })
      await request('DELETE', `/tools/${id}`)
      await tool({ title: 'there' })
      for (const recordId of ['nothing', line.id, '00000000-0000-7000-8000-000000000000', 7, '%', '\u0001'])
        for (const dryRun of [true, false]) {
          const { status, body } = await request('POST', '/schedules/of/run', { recordId, dryRun })
          expect([recordId, status, body.error_code]).toEqual([recordId, 404, 'NOT_FOUND'])
        }
      const { status, body } = await request('POST', '/schedules/one/run', { recordId: id })
      expect([status, body.error_message]).toEqual([404, expect.stringContaining("leave 'recordId' out")])
      // A record that was deleted is nobody's any more: nothing is fired for it.
      expect((await request('POST', '/schedules/of/run', { recordId: id })).data).toMatchObject({ count: 0 })
      await pass(0)
      expect(await firings('of', `&recordId=${id}`)).toEqual([])
    })

    it('A11: retry is 409 for what is over or under way, and says which', async () => {
      await submit({ one: { recurrence: 'hourly', ...noop } })
      await pass(HOUR)
      const [fired] = await firings('one')
      const { status, body } = await request('POST', `/schedules/firings/${String(fired?.['id'])}/retry`, {})
      expect([status, body.error_code, body.error_message]).toEqual([
        409,
        'CONFLICT',
        'The firing has not failed: it is fired',
      ])
    })

    it('bodies and queries that are not what is wanted are refused', async () => {
      await submit({ one: daily })
      for (const body of [{}, { enabled: 'yes' }, { enabled: 0 }, [], { enabled: true, x: 1 }]) {
        const { status, body: answer } = await request('PATCH', '/schedules/one', body)
        expect([body, status, answer.error_code]).toEqual([body, 422, 'VALIDATION_ERROR'])
      }
      for (const body of [
        [],
        { dryRun: 'yes' },
        { recordId: {} },
        { recordId: '' },
        { recordId: 1.5 },
        { x: 1 },
      ]) {
        const { status, body: answer } = await request('POST', '/schedules/one/run', body)
        expect([body, status, answer.error_code]).toEqual([body, 422, 'VALIDATION_ERROR'])
      }
      for (const query of ['after=yesterday', 'before=12:00', 'limit=many', 'status=odd']) {
        const { status, body } = await request('GET', `/schedules/firings?${query}`)
        expect([query, status, body.error_code]).toEqual([query, 400, 'INVALID_QUERY'])
      }
      expect((await request('GET', '/schedules/firings?run=no-id&recordId=%27')).data.items).toEqual([])
    })
  })
}
