import { expect, test } from 'vitest'
import { Reply } from '@svc/kernel'
import { echo, open, start } from './fixtures/start.ts'

const dataOf = async (response: Response) => ((await response.json()) as { data: unknown }).data

test('a fixed segment wins over a parameter at every position, in any order of registration', async () => {
  const { ask } = await start([
    echo('get', 'GET /x/:id'),
    open('count', 'GET /x/count', () => 'count'),
    open('late', 'GET /:a/b/c', () => 'late'),
    open('early', 'GET /a/:b/c', () => 'early'),
    open('deep', 'GET /x/bulk/:y', ({ y }) => `bulk ${y}`),
    open('audit', 'GET /x/:id/audit', ({ id }) => `audit ${id}`),
  ])
  expect(await dataOf(await ask('/x/count'))).toBe('count')
  expect(await dataOf(await ask('/x/7'))).toEqual({ id: '7' })
  expect(await dataOf(await ask('/a/b/c'))).toBe('early')
  expect(await dataOf(await ask('/z/b/c'))).toBe('late')
  expect(await dataOf(await ask('/x/bulk/2'))).toBe('bulk 2')
  expect(await dataOf(await ask('/x/bulk/audit'))).toBe('bulk audit')
  expect(await dataOf(await ask('/x/9/audit'))).toBe('audit 9')
})

test('the rest of a path is taken where nothing else is, at every position', async () => {
  const { ask } = await start([
    open('rest', 'GET /x/*path', ({ path }) => `rest ${path}`),
    open('one', 'GET /x/:id', ({ id }) => `one ${id}`),
    open('fixed', 'GET /x/count', () => 'fixed'),
    open('below', 'GET /x/:id/audit', ({ id }) => `audit of ${id}`),
    open('deep', 'GET /x/deep/*rest', ({ rest }) => `deep ${rest}`),
    open('other', 'GET /:any/y/z', ({ any }) => `other ${any}`),
    open('named', 'GET /of/:owner/*path', ({ owner, path }) => `${owner}: ${path}`),
  ])
  const answers = {
    '/x/count': 'fixed',
    '/x/7': 'one 7',
    '/x/7/audit': 'audit of 7',
    '/x/7/other': 'rest 7/other',
    '/x/a/b/c.js': 'rest a/b/c.js',
    '/x/deep/a': 'deep a',
    '/x/deep/a/b': 'deep a/b',
    '/x/deep': 'one deep',
    '/x/y/z': 'rest y/z',
    '/w/y/z': 'other w',
    '/of/ann/a%20b/%2541?q=1': 'ann: a b/%41',
    '/x/a/..b/...': 'rest a/..b/...',
  }
  for (const [path, answer] of Object.entries(answers))
    expect([path, await dataOf(await ask(path))]).toEqual([path, answer])
})

test.each([
  '/x',
  '/x/',
  '/x//a',
  '/x/a/',
  '/x/a//b',
  '/x/a%2Fb',
  '/x/a%2fb/c',
  '/x/%2e%2e%2fa',
  '/x/a%5Cb',
  '/x/a%00',
  '/x/%zz',
])('%s is no rest of a path', async (path) => {
  const { ask } = await start([open('rest', 'GET /x/*path', ({ path }) => path)])
  expect((await ask(path)).status).toBe(404)
})

test('a rest of a path never leads out of its place, however it is written', async () => {
  const { wire } = await start([
    open('rest', 'GET /x/*path', ({ path }) => `inside ${path}`),
    open('out', 'GET /secret', () => 'outside'),
  ])
  const get = (path: string) => wire(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  for (const path of [
    '/x/../secret',
    '/x/%2e%2e/secret',
    '/x/a/.%2E/../secret',
    '/x/a/./b',
    '/x/a/..',
    '/x/a\\b',
    '/y/../x/a',
  ])
    expect(await get(path), path).toMatch(/^HTTP\/1.1 404/)
  expect(await get('/x/a?b=/../c')).toContain('inside a')
})

test.each([
  ['/x/a%20b', 'a b'],
  ['/x/a%2Fb', 'a/b'],
  ['/x/%2541', '%41'],
  ['/x/%C3%A9', 'é'],
  ['/x/a+b', 'a+b'],
  ['/x/%2e%2e%2f', '../'],
])('%s is decoded once', async (path, id) => {
  const { ask } = await start([echo('get', 'GET /x/:id')])
  expect(await dataOf(await ask(path))).toEqual({ id })
})

test('a fixed segment matches in any spelling', async () => {
  const { ask } = await start([echo('ping', 'GET /ping')])
  expect((await ask('/%70ing')).status).toBe(200)
})

test.each(['/x/%', '/x/%zz', '/x/%ff', '/x/', '/x/1/', '/', '//x/1', '/x/1%00%'])(
  '%s is 404',
  async (path) => {
    const { ask } = await start([echo('get', 'GET /x/:id')])
    const response = await ask(path)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ status: 'error', code: 404, error_code: 'NOT_FOUND' })
    expect(response.headers.get('x-request-id')).toBeTruthy()
  },
)

test('a path that has no action for the method is 404, and no request in vain is an error in the log', async () => {
  const { ask, logged } = await start([echo('get', 'GET /x')])
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
    expect((await ask('/x', { method })).status, method).toBe(404)
  }
  expect(logged.filter(({ event }) => event === 'request.refused')).toHaveLength(5)
  expect(logged.filter(({ fields }) => 'err' in fields)).toEqual([])
})

test('HEAD answers the headers of GET', async () => {
  const { ask } = await start([echo('get', 'GET /x/:id')])
  const got = await ask('/x/1')
  const text = await got.text()
  const head = await ask('/x/1', { method: 'HEAD' })
  expect(head.status).toBe(200)
  expect(head.headers.get('content-length')).toBe(String(text.length))
  expect(head.headers.get('content-type')).toBe('application/json')
  expect(await head.text()).toBe('')
})

test('routes follow the actions, and a request under way ends on the route that it began with', async () => {
  const { ask, kernel } = await start([])
  let finish = (_: string): void => undefined
  const slow = new Promise<string>((resolve) => (finish = resolve))
  kernel.actions.mount('svc.', [open('svc.a', 'GET /a', () => slow)])
  const early = ask('/a')
  const release = kernel.actions.mount('svc.', [open('svc.b', 'GET /b', () => 'b')])
  expect((await ask('/a')).status).toBe(404)
  expect(await dataOf(await ask('/b'))).toBe('b')
  finish('a')
  expect(await dataOf(await early)).toBe('a')
  release()
  expect((await ask('/b')).status).toBe(404)
})

test('no request is dropped while routes change under load', async () => {
  const { ask, kernel } = await start([echo('steady', 'GET /steady')])
  const statuses: number[] = []
  for (let round = 0; round < 50; round++) {
    const asked = Array.from({ length: 5 }, () => ask('/steady'))
    kernel.actions.mount('svc.', [echo('svc.a', `GET /a${round}`)])
    kernel.actions.mount('svc.', [echo('svc.a', `GET /b${round}`)])
    for (const response of await Promise.all(asked)) statuses.push(response.status)
  }
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect((await ask('/b49')).status).toBe(200)
})

test('a switched-off action is 404', async () => {
  const { ask } = await start([{ ...echo('off', 'GET /off'), enabled: () => false }])
  expect((await ask('/off')).status).toBe(404)
})

test('204 has neither body nor type', async () => {
  const { ask } = await start([open('gone', 'DELETE /x/:id', () => Reply.empty())])
  const response = await ask('/x/1', { method: 'DELETE' })
  expect(response.status).toBe(204)
  expect(response.headers.get('content-type')).toBeNull()
  expect(await response.text()).toBe('')
})
