import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { shed } from './shed.ts'

const tool = { source: { resource: 'Tool' } }
const due = { ...tool, relativeTo: 'dueOn', action: 'noop' }

/** What is wrong with a schedule, where, and what the fault says. */
const FAULTS: readonly (readonly [name: string, schedule: object, path: string, says: string])[] = [
  ['no recurrence', { action: 'noop' }, 'recurrence', 'missing'],
  ['zero', { recurrence: 'every 0 seconds', action: 'noop' }, 'recurrence', 'above zero'],
  ['a slip', { recurrence: 'every 90 dyas', action: 'noop' }, 'recurrence', 'at character 10'],
  ['an hour that is none', { recurrence: 'daily at 25:00', action: 'noop' }, 'recurrence', '00:00 to 23:59'],
  ['a day that is none', { recurrence: 'yearly on April 31', action: 'noop' }, 'recurrence', 'never occurs'],
  ['a pattern that never occurs', { recurrence: '0 0 30 2 *', action: 'noop' }, 'recurrence', 'never occurs'],
  ['February 30', { recurrence: 'yearly on February 30', action: 'noop' }, 'recurrence', 'never occurs'],
  [
    'a zone that is none',
    { recurrence: '@daily', timezone: 'Europe/Lodnon', action: 'noop' },
    'timezone',
    'no time zone',
  ],
  ['recurrence beside relativeTo', { ...due, recurrence: '@daily' }, 'recurrence', 'means nothing'],
  ['offset beside tiers', { ...due, offset: '1d', tiers: [{ daysUntil: 1 }] }, 'offset', 'means nothing'],
  [
    'offset without relativeTo',
    { recurrence: '@daily', offset: '1d', action: 'noop' },
    'offset',
    'means nothing',
  ],
  ['at without relativeTo', { recurrence: '@daily', at: '08:00', action: 'noop' }, 'at', 'means nothing'],
  ['catchUp of a relative one', { ...due, catchUp: 'all' }, 'catchUp', 'means nothing'],
  ['no source', { relativeTo: 'dueOn', action: 'noop' }, 'source', 'missing'],
  ['no relativeTo', { ...tool, type: 'relative', action: 'noop' }, 'relativeTo', 'missing'],
  [
    'batched without a source',
    { recurrence: '@daily', batched: true, action: 'noop' },
    'batched',
    'means nothing',
  ],
  [
    'a resource that is none',
    { recurrence: '@daily', source: { resource: 'Tol' }, action: 'noop' },
    'source.resource',
    'no resource',
  ],
  ['a field that is none', { ...due, relativeTo: 'dueOm' }, 'relativeTo', 'no field'],
  ['a field that is no date', { ...due, relativeTo: 'title' }, 'relativeTo', 'no stored date'],
  [
    'a filter that names nothing',
    { recurrence: '@daily', source: { resource: 'Tool', filter: 'nothing == 1' }, action: 'noop' },
    'source.filter',
    'nothing',
  ],
  ['a bad offset', { ...due, offset: '30x' }, 'offset', 'no duration'],
  ['an offset without end', { ...due, offset: '999999999d' }, 'offset', 'out of bounds'],
  ['a bad time', { ...due, at: '8 am' }, 'at', 'time of day'],
  ['no action', { recurrence: '@daily' }, 'action', 'missing'],
  ['an action that is none', { recurrence: '@daily', action: 'explode' }, 'action', 'no action'],
  [
    'a tier without an action',
    { ...tool, relativeTo: 'dueOn', tiers: [{ daysUntil: 1, action: 'noop' }, { daysUntil: 2 }] },
    'tiers.1.action',
    'missing',
  ],
  ['no tier at all', { ...due, tiers: [] }, 'tiers', 'at least one'],
  [
    '51 tiers',
    { ...due, tiers: Array.from({ length: 51 }, (_, daysUntil) => ({ daysUntil })) },
    'tiers',
    'more than 50',
  ],
  [
    'two tiers with one tag',
    { ...due, tiers: [{ daysUntil: 1 }, { daysUntil: 1 }] },
    'tiers.1.daysUntil',
    'tag',
  ],
  [
    'two tiers with one written tag',
    { ...due, tiers: [{ daysUntil: 1, tag: '2' }, { daysUntil: 2 }] },
    'tiers.1.daysUntil',
    'tag',
  ],
  [
    'delete without a filter',
    { ...tool, recurrence: '@daily', action: 'delete' },
    'source.filter',
    'missing',
  ],
  [
    'archive without a filter',
    { ...tool, recurrence: '@daily', action: 'archive' },
    'source.filter',
    'missing',
  ],
  ['delete without a source', { recurrence: '@daily', action: 'delete' }, '', 'at hand'],
  ['notify without a notification', { recurrence: '@daily', action: 'notify' }, 'notification', 'missing'],
  ['create without a target', { recurrence: '@daily', action: 'create' }, 'target', 'missing'],
  [
    'input of an unknown field',
    { recurrence: '@daily', action: 'create', target: 'Line', input: { nothing: 1 } },
    'input.nothing',
    'no field',
  ],
  [
    'a record in a batch',
    {
      ...tool,
      recurrence: '@daily',
      batched: true,
      action: 'create',
      target: 'Line',
      input: { text: '$title' },
    },
    'input.text',
    '',
  ],
  ['a tag that names nothing', { ...due, tag: '{nothing}' }, 'tag', 'nothing'],
  ['skipIf that names nothing', { ...due, skipIf: 'nothing' }, 'skipIf', 'nothing'],
  ['input beside noop', { ...due, input: { x: 1 } }, 'input', 'means nothing'],
]

const [store] = STORES

describe('what schedules may say', () => {
  if (store === undefined) throw new Error('there is no store')
  const server = useTestKernel({ store, definition: shed({}) })
  const validate = async (schedules: object, more: object = {}) => {
    const { status, body } = await server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content: shed(schedules, more), allow_destructive: true },
    })
    return { status, body }
  }

  it.each(FAULTS)('S1, A1: %s is PARSE_ERROR', async (_, schedule, path, says) => {
    const { status, body } = await validate({ one: schedule })
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    const told = JSON.stringify(body)
    expect(told).toContain(`domain.schedules.one${path === '' ? '' : `.${path}`}`)
    expect(told).toContain(says)
  })

  it('S1: no moment can be told by a date that is encrypted', async () => {
    process.env['SVC_DOMAIN_SEALING'] = `tests:${Buffer.alloc(32, 9).toString('base64')}`
    const { status, body } = await validate(
      { one: { source: { resource: 'Person' }, relativeTo: 'born', action: 'noop' } },
      {
        resources: { Person: { object: { born: { type: 'date', privacy: { encrypted: true } } } } },
        privacy: { enabled: true, encryption: { keyVariable: 'SVC_DOMAIN_SEALING' } },
      },
    )
    expect([status, body.errors]).toEqual([
      422,
      [
        expect.objectContaining({
          path: 'domain.schedules.one.relativeTo',
          message: expect.stringContaining('encrypted'),
        }),
      ],
    ])
  })

  it('S2: a slip has its hint', async () => {
    const { body } = await validate({ one: { recurrence: 'every 90 dyas', action: 'noop' } })
    expect(JSON.stringify(body)).toContain('Did you mean days?')
  })

  it('A1: names are those of rules and workflows; `firings` is taken', async () => {
    for (const name of ['firings', 'log', '1st', 'a b', 'x'.repeat(64)])
      expect(
        (await validate({ [name]: { recurrence: '@daily', action: 'noop' } })).body.error_code,
        name,
      ).toBe('PARSE_ERROR')
  })

  it('A11: a resource at the path of schedules is PARSE_ERROR', async () => {
    const { domain } = JSON.parse(shed({ one: { recurrence: '@daily', action: 'noop' } }))
    domain.resources.Schedule = { object: { title: 'string' } }
    const { status, body } = await server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content: JSON.stringify({ domain }) },
    })
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    expect(JSON.stringify(body)).toContain('api.path')
  })

  it('S11: a recurrence that is shorter than the heartbeat is warned of', async () => {
    const { status, body } = await validate({ one: { recurrence: 'every 5 seconds', action: 'noop' } })
    expect(status).toBe(201)
    expect(JSON.stringify(body)).toContain('heartbeat')
  })

  it('S1: the zone is that of the domain where the schedule names none', async () => {
    const { domain } = JSON.parse(shed({ one: { recurrence: 'daily at 06:00', action: 'noop' } }))
    domain.config = { timezone: 'Asia/Tokyo' }
    await server().submit(JSON.stringify({ domain }))
    const { body } = await server().request('GET', '/api/v1/shed/schedules/one', { token: server().admin })
    expect(body.data).toMatchObject({ timezone: 'Asia/Tokyo' })
  })
})
