import { expect, test } from 'vitest'
import { echo, start } from './fixtures/start.ts'
import { parseQuery } from './query.ts'

const read = (query: string) => ({ ...parseQuery(`http://a/x${query}`) })

test.each([
  ['', {}],
  ['?', {}],
  ['?a=1&b=2', { a: '1', b: '2' }],
  ['?a=1&a=2', { a: '2' }],
  ['?a', { a: '' }],
  ['?a=b=c&&', { a: 'b=c' }],
  ['?q=a+b%2Bc%20d', { q: 'a b+c d' }],
  ['?filter%5Bname%5D%5Blike%5D=%C3%A9', { 'filter[name][like]': 'é' }],
  ['?a=1#b=2', { a: '1' }],
])('%s is read', (query, parameters) => {
  expect(read(query)).toEqual(parameters)
})

test('no parameter reaches a prototype', () => {
  const query = parseQuery('http://a/?__proto__=x&constructor=y')
  expect(Object.getPrototypeOf(query)).toBeNull()
  expect(Object.keys(query)).toEqual(['__proto__', 'constructor'])
})

test.each(['?a=%', '?a=%zz', '?a=%ff', '?%c3=1', `?${'a=1&'.repeat(1001)}`])('%s is 400', async (query) => {
  const { ask } = await start([echo('get', 'GET /x')])
  const response = await ask(`/x${query}`)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error_code: 'INVALID_QUERY' })
})
