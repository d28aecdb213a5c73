/** Scripts of the tests, by file name. */
export const HOOKS = `
const enter = (call, name, about, detail) => call('svc.lab.entry.create', { data: { name, about, detail } })

on('svc.lab.sample.judge', async (event, { call }) => {
  const { title } = event.record
  if (title === 'refused') throw new Error('the judge says no')
  if (title === 'text') throw 'just text'
  if (title === 'nothing') throw undefined
  if (title === 'object') throw { message: 'an object', other: 1 }
  if (title === 'writer') await call('svc.lab.sample.update', { id: event.id, data: { grade: 7 } })
  if (title === 'recursive') await call('svc.lab.sample.test', { id: event.id })
  if (title === 'missing') await call('svc.lab.sample.get', { id: 'nonsense' })
  if (title === 'told') await enter(call, event.name, event.id, event)
})
on('svc.lab.sample.second', async (event, { call }) => {
  if (event.record.title === 'ordered' || event.record.title === 'refused') await enter(call, 'second', event.id)
})
on('svc.lab.sample.arrived', async (event, { call }) => {
  await enter(call, 'arrived', event.id, { hook: event.hook, transition: event.transition, actor: event.actor })
  throw new Error('too late to matter')
})
on('svc.lab.sample.created', (event, { call }) => {
  if (event.record.title === 'echo') return enter(call, 'created', event.recordId, event)
  if (event.record.title === 'rabbit')
    return call('svc.lab.sample.create', { data: { title: 'rabbit', grade: event.record.grade + 1 } })
})
on('svc.lab.sample.upd*', (event, { call }) => enter(call, 'wild', event.recordId, { name: event.name }))
`

export const OPERATIONS = `
on('svc.lab.sample.stamp', async (event, { call }) => {
  const { input, record, previous } = event
  if (input.title === 'no') throw new Error('no stamps today')
  if (input.title === 'self') {
    await call('svc.lab.sample.update', { id: event.id, data: { grade: 3 } })
    return { grade: (await call('svc.lab.sample.get', { id: event.id })).grade }
  }
  return { stamped: record.note, before: previous.note, by: event.actor.username, operation: event.operation }
})
on('svc.lab.sample.silent', () => undefined)
on('svc.lab.sample.peek', (event) => ({ seen: event.record.title, days: event.input.days }))
on('svc.lab.sample.loop', async (event, { call }) => {
  const { id, input } = event
  return { deeper: await call('svc.lab.sample.loop', { id, data: {} }) }
})

const kinds = {
  globals: () => ['process', 'require', 'fetch', 'WebAssembly', 'setTimeout', 'std', 'os', 'module', 'Deno']
    .filter((name) => name in globalThis),
  import: () => import('node:fs').then(() => 'imported', (error) => String(error)),
  reach: () => on.constructor('return typeof process')(),
  nan: () => NaN,
  nothing: () => undefined,
  function: () => () => 1,
  bigint: () => ({ big: 1n }),
  cycle: () => { const a = {}; a.a = a; return a },
  proto: () => JSON.parse('{"__proto__": {"polluted": true}}'),
  nul: () => 'a\\0b',
  deep: () => { let value = 1; for (let i = 0; i < 100; i++) value = [value]; return value },
  large: () => 'x'.repeat(1024 * 1024 + 1),
  largest: () => 'x'.repeat(1024 * 1024 - 2).length,
  date: () => ({ at: new Date(0), gone: undefined, nan: NaN }),
  list: async (event, { call }) => {
    const { items } = await call('svc.lab.sample.list', { query: { limit: 1, 'filter[title][eq]': 'never' } })
    return items.length
  },
  errors: async (event, { call }) => {
    const caught = []
    const attempt = (...args) => call(...args).catch((error) => caught.push([error.error_code, error instanceof Error]))
    await attempt('svc.lab.sample.get', { id: 'nonsense' })
    await attempt('svc.no.such')
    await attempt('svc.lab.sample.create', { data: { grade: 'many' } })
    await attempt('svc.lab.sample.create', { data: JSON.parse('{"title":"x","__proto__":{"a":1}}') })
    await attempt('svc.lab.sample.create', [1])
    await attempt('svc.lab.sample.create', null)
    await attempt('svc.lab.sample.get', { id: { $gt: '' } })
    await attempt('svc.lab.sample.get', { query: 5 })
    await attempt('svc.lab.sample.get', { id: 1n })
    await attempt('svc.lab.sample.export', { query: { format: 'csv' } })
    return caught
  },
  faults: async (event, { call }) => {
    try { await call('svc.lab.sample.create', { data: { grade: 'many' } }) } catch (error) { return error.errors }
  },
  many: async (event, { call }) => {
    const all = await Promise.allSettled(Array.from({ length: 101 }, () => call('svc.lab.entry.count', {})))
    return all.filter(({ status }) => status === 'rejected').map(({ reason }) => reason.error_code)
  },
  own: (event) => {
    Object.prototype.polluted = 'yes'
    event.input.kind = 'changed'
    return ({}).polluted
  },
}
on('svc.lab.sample.probe', (event, tools) => kinds[event.input.kind](event, tools))
`

export const ATTACKS = `
const attacks = {
  loop: () => { while (true) {} },
  stubborn: () => { while (true) try { while (true) {} } catch {} },
  chain: async () => { while (true) await null },
  forever: () => new Promise(() => {}),
  memory: () => { const all = []; while (true) all.push(new Array(1000).fill(1)) },
  join: () => new Array(1e9).join('x'),
  regex: () => /^(a+)+$/.test('a'.repeat(60) + 'b'),
  recursion: () => { const down = () => down() + 1; return down() },
  nesting: () => { let o = {}; for (let i = 0; i < 50000; i++) o = { o }; return o },
  text: () => { let text = 'x'; while (true) text += text },
  logs: (event, { log }) => { for (let i = 0; i < 5000; i++) log.info('flood', i, 'x'); return 'logged' },
  calls: (event, { call }) => { for (let i = 0; i < 1500; i++) call('svc.lab.entry.count', {}); return 'called' },
  busy: async (event, { call }) => { while (true) await call('svc.lab.entry.count', {}) },
  heavy: (event, { call }) => {
    const text = 'x'.repeat(1000000)
    for (let i = 0; i < 12; i++) call('svc.lab.entry.count', { text })
    return 'called'
  },
  orphan: (event, { call }) => {
    ;(async () => { while (true) try { await call('svc.lab.entry.count', {}) } catch {} })()
    return 'gone'
  },
  tamper: () => {
    Promise.prototype.then = () => { throw new Error('then') }
    Array.prototype.push = JSON.stringify = String.prototype.slice = Map.prototype.get = () => { throw new Error('!') }
    return 'tampered'
  },
  late: () => { on('svc.lab.sample.created', () => 1); return 'registered' },
}
on('svc.lab.sample.attack', (event, tools) => attacks[event.input.kind](event, tools))
`

export const STEADY = `
let count = 0
on('svc.lab.sample.steady', () => ({ count: ++count }))
`

export const USERS = `
const tried = (name) => async ({ input }, { call }) => {
  if (input.as !== name) return
  const results = []
  for (const [action, given] of [
    ['svc.lab.sample.update', { id: input.id, data: { note: 'by ' + name, grade: 9 } }],
    ['svc.lab.sample.delete', { id: input.id }],
    ['admin.users.list', {}],
    ['auth.me', {}],
    ['auth.login', { username: 5 }],
  ]) results.push(await call(action, given).then(() => 'done', (error) => error.error_code))
  return results
}
for (const name of ['helper', 'keeper', 'nobody']) on('svc.lab.sample.probe', { as: name }, tried(name))
`
