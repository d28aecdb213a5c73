import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import {
  addTask,
  desk,
  instance,
  instances,
  INSTANCES,
  QUIET,
  TASKS,
  tick,
  WORKFLOWS,
} from '../workflows/desk.ts'

const NONE = [
  'x',
  '%00',
  '0',
  '%27%20or%201=1',
  '__proto__',
  encodeURIComponent('😀'),
  'a'.repeat(3_000),
  '00000000-0000-7000-8000-000000000000',
]

const WAITING = `
slow:
  trigger: { resource: Task, event: create }
  steps:
    rest: { wait: { timeout: { duration: 30d } } }
`
const FAILING = `
broken:
  trigger: { resource: Task, event: create }
  steps:
    first: { action: create, target: Entry, input: { text: '{$record.title}' } }
    second: { decide: [ { condition: $record.size > 100, then: last } ] }
    last: { action: noop }
`

/** What an author may write under \`workflows\` who means no good. */
const REFUSED: readonly (readonly [string, string])[] = [
  [
    'a circle without a wait',
    `a: { trigger: { resource: Task, event: create }, steps: { x: { action: noop, then: y }, y: { action: noop, then: x } } }`,
  ],
  [
    'a circle of one',
    `a: { trigger: { resource: Task, event: create }, steps: { x: { action: noop, then: x } } }`,
  ],
  [
    'a step that is called end',
    `a: { trigger: { resource: Task, event: create }, steps: { end: { action: noop } } }`,
  ],
  ['a workflow that is called instances', `instances: { steps: { x: { action: noop } } }`],
  ['no steps', `a: { trigger: { resource: Task, event: create }, steps: {} }`],
  ['a duration of nothing', `a: { steps: { x: { wait: { timeout: { duration: 0s } } } } }`],
  ['a duration before now', `a: { steps: { x: { wait: { timeout: { duration: -5m } } } } }`],
  ['a duration without an end', `a: { steps: { x: { wait: { timeout: { duration: 999999999d } } } } }`],
  ['a duration that is none', `a: { steps: { x: { wait: { timeout: { duration: 30x } } } } }`],
  ['a step of a prototype', `a: { steps: { x: { action: noop, then: constructor } } }`],
  [
    'an expression of a prototype',
    `a: { trigger: { resource: Task, event: create, condition: constructor != null }, steps: { x: { action: noop } } }`,
  ],
  [
    'fifty-one branches',
    `a: { steps: { x: { parallel: { steps: { ${Array.from({ length: 51 }, (_, at) => `b${at}: { action: noop }`).join(', ')} } } } } }`,
  ],
  [
    'an input of a field that is not there',
    `a: { steps: { x: { action: create, target: Entry, input: { __proto__: 1 } } } }`,
  ],
  ['a target that is not there', `a: { steps: { x: { action: create, target: constructor, input: {} } } }`],
]

describe.each(STORES.map((store) => [store.name, store] as const))('workflows on %s', (_, store) => {
  async function start(workflows?: string): Promise<TestKernel> {
    const definition = workflows === undefined ? {} : { definition: desk(workflows) }
    const running = await startTestKernel({ store, config: QUIET, ...definition })
    onTestFinished(running.stop)
    return running
  }

  it('that mean nothing good are refused, each with its place', async () => {
    const { request, admin } = await start()
    const wrong: string[] = []
    for (const [what, text] of REFUSED) {
      const began = performance.now()
      const { status, body } = await request('POST', '/api/v1/domains', {
        token: admin,
        body: { content: desk(text) },
      })
      const answer = JSON.stringify(body)
      const isTold =
        status === 422 && body.error_code === 'PARSE_ERROR' && answer.includes('domain.workflows')
      if (!isTold || performance.now() - began > 3_000) wrong.push(`${what}: ${answer.slice(0, 300)}`)
    }
    expect(wrong).toEqual([])
  })

  it('are looked at, cancelled and retried by nobody who may not, and never where there is none', async () => {
    const server = await start(WAITING)
    const { request, admin } = server
    await addTask(server)
    const { id } = await instance(server)
    const { token } = await server.account('mallory', ['clerk'])
    for (const [method, path] of [
      ['GET', INSTANCES],
      ['GET', `${INSTANCES}/${id}`],
      ['POST', `${INSTANCES}/${id}/cancel`],
      ['POST', `${INSTANCES}/${id}/retry`],
      ['POST', `${WORKFLOWS}/slow/instances`],
    ] as const) {
      const body = method === 'POST' ? { body: {} } : {}
      expect((await request(method, path, body)).status, path).toBe(401)
      expect((await request(method, path, { token, ...body })).status, path).toBe(403)
    }
    for (const none of NONE)
      for (const path of [
        `${INSTANCES}/${none}/cancel`,
        `${INSTANCES}/${none}/retry`,
        `${WORKFLOWS}/${none}/instances`,
      ]) {
        const { status, body } = await request('POST', path, { token: admin, body: {} })
        expect([400, 404, 409, 414, 422], `${path} ${JSON.stringify(body)}`).toContain(status)
        expect(status === 409, path).toBe(false)
      }
    for (const body of [{ reason: 7 }, { reason: 'x'.repeat(2_000_000) }, { other: 1 }, [], 'x'])
      expect([400, 413, 422], JSON.stringify(body).slice(0, 40)).toContain(
        (await request('POST', `${INSTANCES}/${id}/cancel`, { token: admin, body })).status,
      )
    expect((await request('POST', `${INSTANCES}/${id}/retry`, { token: admin, body: {} })).status).toBe(409)
    expect(await instance(server)).toMatchObject({ id })
  })

  it('are started by hand with what is sound alone', async () => {
    const server = await start(WAITING)
    const { request, admin: token } = server
    const { id } = await addTask(server)
    const at = `${WORKFLOWS}/slow/instances`
    for (const recordId of ['none', '', -1, 1e300, '\u0000', 'x'.repeat(5_000), {}, [], true])
      expect([400, 404, 422], JSON.stringify(recordId).slice(0, 40)).toContain(
        (await request('POST', at, { token, body: { recordId } })).status,
      )
    expect(
      (await request('POST', at, { token, body: { recordId: id, input: { __proto__: 1, constructor: 2 } } }))
        .status,
    ).toBeLessThan(500)
    const large = await request('POST', at, { token, body: { recordId: id, input: 'x'.repeat(900_000) } })
    expect(large.status).toBeLessThan(500)
    await tick(server)
    expect((await request('GET', INSTANCES, { token })).status).toBe(200)
  })

  it('twenty cancels at once are one, and twenty retries too', async () => {
    const server = await start(WAITING + FAILING)
    const { request, admin: token } = server
    await addTask(server)
    await tick(server)
    const [broken, slow] = [
      await instance(server, 'workflow=broken'),
      await instance(server, 'workflow=slow'),
    ]
    expect([broken.status, slow.status]).toEqual(['failed', 'waiting'])
    const twenty = (id: string, what: string) =>
      Promise.all(
        Array.from(
          { length: 20 },
          async () => (await request('POST', `${INSTANCES}/${id}/${what}`, { token, body: {} })).status,
        ),
      )
    const cancelled = await twenty(slow.id, 'cancel')
    expect(cancelled.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
    const retried = await twenty(broken.id, 'retry')
    expect(retried.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
    await Promise.all([tick(server), tick(server)])
    const again = await instance(server, 'workflow=broken')
    expect(again.status).toBe('failed')
    expect(again.steps.filter(({ name }: { name: string }) => name === 'first')).toHaveLength(1)
    expect(again.steps.filter(({ name }: { name: string }) => name === 'second').length).toBeLessThanOrEqual(
      2,
    )
  })

  it('a cancel that races its own step leaves one end', async () => {
    const server = await start(FAILING)
    const { request, admin: token } = server
    for (let round = 0; round < 5; round++) {
      await addTask(server)
      const running = (await instances(server)).find(({ status }: { status: string }) => status === 'running')
      const [, { status }] = await Promise.all([
        tick(server),
        request('POST', `${INSTANCES}/${running.id}/cancel`, { token, body: { reason: 'race' } }),
      ])
      await tick(server)
      const { body } = await request('GET', `${INSTANCES}/${running.id}`, { token })
      expect(body.data.status).toBe(status === 200 ? 'cancelled' : 'failed')
    }
  })

  it('titles that are templates stay what they are', async () => {
    const server = await start(FAILING)
    const titles = ['{$record.size}', '$(1+1)', '${PATH}', '{#if true}x{/if}', '{{x}}', '\\{', '{user.email}']
    for (const title of titles) await addTask(server, { title })
    await tick(server)
    const { body } = await server.request('GET', '/api/v1/desk/entries', { token: server.admin })
    expect(body.data.items.map(({ text }: { text: string }) => text).toSorted()).toEqual(titles.toSorted())
  })

  it('set each other off until they are too deep, and no further', async () => {
    const server = await start(`
ping:
  trigger: { resource: Task, event: create }
  steps: { x: { action: create, target: Entry, input: { text: ping } } }
pong:
  trigger: { resource: Entry, event: create }
  steps: { x: { action: create, target: Task, input: { title: pong } } }
`)
    await addTask(server)
    for (let round = 0; round < 12; round++) await tick(server)
    const all = await instances(server, 'limit=100')
    expect(all.length).toBeLessThan(20)
    expect(
      all.filter(({ error }: { error: { code: string } | null }) => error?.code === 'TOO_DEEP'),
    ).toHaveLength(1)
    expect((await server.request('GET', TASKS)).status).toBe(200)
  })

  it('a list of a hundred thousand items is over its limit, and quickly', async () => {
    const server = await start(`
many:
  trigger: { resource: Task, event: create }
  steps:
    each: { forEach: { collection: $record.tags, step: { action: noop } } }
`)
    await addTask(server, { tags: Array.from({ length: 100_000 }, (_item, at) => at) })
    await addTask(server, { tags: 'no list' })
    await addTask(server, { tags: { length: 3 } })
    const began = performance.now()
    await tick(server)
    expect(performance.now() - began).toBeLessThan(5_000)
    expect((await instances(server)).map(({ status, error }) => [status, error?.code])).toEqual([
      ['failed', 'ITEM_LIMIT'],
      ['failed', 'NOT_A_LIST'],
      ['failed', 'NOT_A_LIST'],
    ])
  })
})
