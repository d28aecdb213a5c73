import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel } from '../../kit/test-kernel.ts'
import { DAY, HOUR, PATIENT, shed, SHED, shedOf } from '../schedules/shed.ts'

/** When it recurs, as somebody writes it who means no good: each is answered, and quickly. */
const RECURRENCES = [
  `every ${'9'.repeat(10_000)} days`,
  'every 9007199254740993 seconds',
  'every 99999999999 years',
  `monthly on ${Array.from({ length: 5_000 }, (_, at) => `${(at % 28) + 1}th`).join(', ')}`,
  `weekly on ${'Monday and '.repeat(5_000)}Monday`,
  `${'0-59/1,'.repeat(5_000)}0 * * * *`,
  `${' '.repeat(50_000)}daily`,
  '0 0 29 2 1#5',
  '59 59 23 31 12 *',
  '0 0 L 2 *',
  '* * * * * * * *',
  '0/0 * * * *',
  '-1 * * * *',
  '61 * * * *',
  '\u0000daily',
  'daily at 06:00; DROP TABLE x',
  'every day starting 9999-12-31',
  'every day starting 0000-00-00',
  'yearly on February 29 at 24:00',
  '__proto__',
]

const HOSTILE = ['{$record.total}', '$(1+1)', '${PATH}', '{#if true}x{/if}', '{{x}}', '\\{', "'; --", '{tag}']

describe.each(STORES.map((store) => [store.name, store] as const))('schedules on %s', (_, store) => {
  async function start() {
    const running = await startTestKernel({ store, config: PATIENT, definition: shed({}) })
    onTestFinished(running.stop)
    return { server: running, ...shedOf(() => running) }
  }

  it('that recur in no sound way are answered, and so are next and the heartbeat', async () => {
    const { server, request, pass } = await start()
    for (const recurrence of RECURRENCES) {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: shed({ one: { recurrence, action: 'noop' } }), allow_destructive: true },
      })
      expect([200, 201, 422], `${recurrence.slice(0, 40)} ${JSON.stringify(body).slice(0, 200)}`).toContain(
        status,
      )
      if (status === 422) {
        expect(body.error_code).toBe('PARSE_ERROR')
        expect(JSON.stringify(body).length).toBeLessThan(5_000)
      } else {
        const { status: next } = await request(
          'GET',
          '/schedules/one/next?count=100&from=9998-01-01T00:00:00Z',
        )
        expect([recurrence.slice(0, 40), next]).toEqual([recurrence.slice(0, 40), 200])
        await pass(HOUR)
      }
    }
  })

  it('have no names of prototypes', async () => {
    const { server } = await start()
    for (const name of ['constructor', '__proto__', 'toString']) {
      const content = shed({}).replace(
        '"schedules":{}',
        `"schedules":{"${name}":{"recurrence":"@daily","action":"noop"}}`,
      )
      const { status } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content },
      })
      expect([200, 201, 422], name).toContain(status)
      const at = `${SHED}/schedules/${name}`
      const found = await server.request('GET', at, { token: server.admin })
      expect([200, 404], name).toContain(found.status)
    }
  })

  it('fire once for what many ask at once', async () => {
    const { request, submit, pass, tool, firings } = await start()
    await tool()
    await submit({
      told: {
        recurrence: '@yearly',
        tag: 'told',
        source: { resource: 'Tool' },
        action: 'update',
        input: { total: '$(total + 1)' },
      },
    })
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => request('POST', '/schedules/told/run', {})),
    )
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202))
    await pass(0)
    expect(await firings('told')).toHaveLength(1)
    expect((await request('GET', '/tools')).data.items).toMatchObject([{ total: 1 }])
  })

  it('twenty retries at once are one', async () => {
    const { request, submit, pass, tool, firings } = await start()
    const id = await tool({ total: 1000 })
    await submit({
      over: {
        recurrence: 'hourly',
        tag: 'once',
        source: { resource: 'Tool' },
        action: 'update',
        input: { total: '$(total + 1)' },
      },
    })
    await pass(HOUR)
    const [failed] = await firings('over')
    expect(failed).toMatchObject({ status: 'failed', attempts: 1, recordId: id })
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        request('POST', `/schedules/firings/${String(failed?.['id'])}/retry`, {}),
      ),
    )
    expect(all.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 409),
    ])
    await pass(0)
    expect(await firings('over')).toMatchObject([{ status: 'failed', attempts: 2 }])
  })

  it('values of records that are templates stay what they are, in texts and in tags', async () => {
    const { submit, pass, tool, firings, lines } = await start()
    await submit({
      copy: {
        source: { resource: 'Tool' },
        relativeTo: 'dueAt',
        tag: '{title}',
        action: 'create',
        target: 'Line',
        input: { text: 'of {title}' },
      },
    })
    const dueAt = '2026-03-02T00:00:00Z'
    for (const title of HOSTILE) await tool({ title, dueAt })
    await pass(2 * DAY)
    expect((await firings('copy')).map(({ tag }) => tag).toSorted()).toEqual(HOSTILE.toSorted())
    expect((await lines()).map(({ text }) => text).toSorted()).toEqual(
      HOSTILE.map((one) => `of ${one}`).toSorted(),
    )
  })

  it('keys and tags that look alike side by side are two', async () => {
    const { server, request, pass, firings } = await start()
    const { domain } = JSON.parse(
      shed({
        pair: { source: { resource: 'Label' }, relativeTo: 'dueAt', tag: '{tag}', action: 'noop' },
      }),
    )
    domain.resources.Label = {
      object: { code: { type: 'string', primaryKey: true, maxLength: 40 }, tag: 'string', dueAt: 'datetime' },
      permissions: { list: ['*'], get: ['*'], create: ['*'] },
    }
    await server.submit(JSON.stringify({ domain }))
    const pairs = [
      ['a', 'b c'],
      ['a b', 'c'],
      ['a b c', ''],
      ['["a"', '"b"]'],
    ] as const
    for (const [code, tag] of pairs) {
      const { status, body } = await request('POST', '/labels', { code, tag, dueAt: '2026-03-02T00:00:00Z' })
      expect([status, body.error_message]).toEqual([201, undefined])
      // One after the other: marks of the first are there when the next is judged.
      await pass(DAY)
    }
    expect((await firings('pair')).map(({ recordId, tag }) => [recordId, tag]).toSorted()).toEqual(
      pairs.map(([code, tag]) => [code, tag]).toSorted(),
    )
  })

  it('a tag of any length holds once, and no tag is longer than its index can take', async () => {
    const { submit, pass, tool, firings, request } = await start()
    await submit({
      long: { source: { resource: 'Tool' }, relativeTo: 'dueAt', tag: '{note}', action: 'noop' },
    })
    const dueAt = '2026-03-02T00:00:00Z'
    const note = 'é'.repeat(200)
    const id = await tool({ note: `${note}1`, dueAt })
    await pass(2 * DAY)
    await request('PATCH', `/tools/${id}`, { note: `${note}2` })
    await pass(HOUR)
    await request('PATCH', `/tools/${id}`, { note: `${note}1` })
    await pass(HOUR)
    const tags = (await firings('long')).map(({ tag }) => String(tag))
    expect(new Set(tags).size).toBe(2)
    expect(tags).toHaveLength(2)
    expect(tags.every((tag) => tag.length <= 200)).toBe(true)
  })
})
