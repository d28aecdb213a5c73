import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel } from '../../kit/test-kernel.ts'
import { OPEN, STILL, submitting, telling, tickets } from './desk.ts'

const RULE = {
  trigger: { resource: 'Ticket', on: 'create' },
  condition: 'true',
  action: 'warn',
  message: 'm',
}

/** What an author who means no good may write under `rules`; all of it is told, with where and why. */
const REFUSED: readonly (readonly [string, object])[] = [
  ['an expression of nothing', { a: { ...RULE, condition: 'nothing == 1' } }],
  ['an expression of a prototype', { a: { ...RULE, condition: 'constructor == 1' } }],
  ['an expression that calls', { a: { ...RULE, condition: "eval('1')" } }],
  ['an expression without an end', { a: { ...RULE, condition: '('.repeat(5_000) } }],
  ['a chain of ten thousand', { a: { ...RULE, condition: Array(10_000).fill('true').join(' and ') } }],
  ['a circle of two', { a: { ...RULE, dependsOn: 'b' }, b: { ...RULE, dependsOn: 'a' } }],
  ['a circle of one', { a: { ...RULE, dependsOn: 'a' } }],
  ['a name that is taken', { log: RULE }],
  ['a name of a prototype', JSON.parse(`{ "__proto__": ${JSON.stringify(RULE)} }`)],
  ['a name with a slash', { 'a/b': RULE }],
  ['a name without an end', { [`a${'b'.repeat(10_000)}`]: RULE }],
  ['a priority that is none', { a: { ...RULE, priority: Number.MAX_VALUE } }],
  ['an action that is none', { a: { ...RULE, action: 'constructor' } }],
  ['a resource that is none', { a: { ...RULE, trigger: { resource: 'constructor', on: 'create' } } }],
  ['a channel that is none', { a: telling({ channels: ['constructor'], template: { body: 'x' } }) }],
  [
    'a recipient that is none',
    {
      a: telling({
        channels: ['email'],
        recipients: { field: '__proto__' },
        template: { subject: 's', body: 'x' },
      }),
    },
  ],
  ['no channel', { a: telling({ channels: [], template: { body: 'x' } }) }],
]

describe.each(STORES.map((store) => [store.name, store] as const))('definitions on %s', (_, store) => {
  async function start() {
    const running = await startTestKernel({ store, config: STILL })
    onTestFinished(running.stop)
    return running
  }

  it('with rules that mean nothing good are refused, each with its place, and leave nothing behind', async () => {
    const running = await start()
    const wrong: string[] = []
    for (const [what, rules] of REFUSED) {
      const began = performance.now()
      const { status, body } = await submitting(running, tickets(rules))
      const answer = JSON.stringify(body)
      const isTold = status === 422 && body.error_code === 'PARSE_ERROR' && answer.includes('rules')
      const isShort = answer.length < 20_000 && performance.now() - began < 3_000
      if (!isTold || !isShort) wrong.push(`${what}: ${answer.slice(0, 300)}`)
    }
    expect(wrong).toEqual([])
    const { body: left } = await running.request('GET', '/api/v1/domains', { token: running.admin })
    expect(JSON.stringify(left)).not.toContain('shop')
    expect((await submitting(running, tickets({ a: RULE }))).status).toBe(201)
  })

  it('reach nothing but records by their expressions', async () => {
    const running = await start()
    const names = ['constructor', '__proto__', 'toString', 'length', 'then', 'constructor.name']
    const conditions = names.map((name) => `title.${name} != null`)
    const rules = Object.fromEntries(
      conditions.map((condition, at) => [`a${at}`, { ...RULE, action: 'reject', condition }]),
    )
    expect((await submitting(running, tickets(rules))).status).toBe(201)
    const { status, body } = await running.request('POST', '/api/v1/shop/tickets', { body: { title: 'x' } })
    expect(status, JSON.stringify(body)).toBe(201)
  })

  it('may call resources what the server calls its own, and are told where two meet', async () => {
    const running = await start()
    const names = ['Rule', 'Schedule', 'Workflow', 'Notification']
    const resources = Object.fromEntries(
      names.map((name) => [name, { object: { title: 'text' }, permissions: OPEN }]),
    )
    const domain = { name: 'own', version: '1', resources }
    expect((await submitting(running, JSON.stringify({ domain }))).status).toBe(201)
    expect((await running.request('POST', '/api/v1/own/rules', { body: { title: 'x' } })).status).toBe(201)
    const trigger = { resource: 'Rule', on: 'create' }
    const rules = { a: { ...RULE, trigger } }
    const clash = await submitting(running, JSON.stringify({ domain: { ...domain, rules } }))
    expect([clash.status, clash.body.error_code]).toEqual([422, 'PARSE_ERROR'])
    expect(JSON.stringify(clash.body)).toContain('api.path')
    const named = { ...resources, Rule: { ...resources['Rule'], api: { path: '/regulations' } } }
    const apart = await submitting(
      running,
      JSON.stringify({ domain: { ...domain, resources: named, rules } }),
    )
    expect(apart.status, JSON.stringify(apart.body)).toBe(201)
  })

  it('are switched by nobody who may not, and by nothing that is no switch', async () => {
    const running = await start()
    expect((await submitting(running, tickets({ a: RULE }))).status).toBe(201)
    const { token } = await running.account('mallory', ['clerk'])
    const at = '/api/v1/shop/rules/a'
    expect((await running.request('PATCH', at, { body: { enabled: false } })).status).toBe(401)
    expect((await running.request('PATCH', at, { token, body: { enabled: false } })).status).toBe(403)
    for (const body of [
      {},
      { enabled: 'false' },
      { enabled: 0 },
      { enabled: [] },
      [],
      { enabled: false, priority: 1 },
      'x',
    ])
      expect([400, 422], JSON.stringify(body)).toContain(
        (await running.request('PATCH', at, { token: running.admin, body })).status,
      )
    for (const none of ['b', '__proto__', 'constructor', 'log', 'A', '%00', 'a%2fb', 'x'.repeat(3_000)]) {
      const { status } = await running.request('PATCH', `/api/v1/shop/rules/${none}`, {
        token: running.admin,
        body: { enabled: false },
      })
      expect([400, 404, 405, 414, 422], none).toContain(status)
    }
    const flips = Array.from({ length: 20 }, (_flip, index) =>
      running.request('PATCH', at, {
        token: running.admin,
        body: { enabled: [true, false, null][index % 3] },
      }),
    )
    for (const { status } of await Promise.all(flips)) expect(status).toBe(200)
  })
})
