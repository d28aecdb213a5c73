import { pickWeighted, type Random, type Weighted } from '../../kit/random.ts'

const LONG = 'x'.repeat(4000)

/** Segments of a path that name no record, as they stand in an address. */
export const SEGMENTS = [
  '%00', '%ff', '%zz', '%', '%2e%2e', '%2f', '%5c', '%20', '..', '.', 'null', 'undefined', 'NaN', '0', '-1', '1.5', '1e999',
  '9007199254740993', '99999999999999999999', "'--", '%22', '*', 'bulk', 'count', 'audit', '__proto__', 'constructor', 'id', '%F0%9F%98%80',
  '%ed%a0%80', '0190B3C4-0000-7000-8000-00000000DEAD', '%7B0190b3c4-0000-7000-8000-00000000dead%7D', '0190b3c4', LONG, '~', 'a;b=c', ':id', '٣',
] // prettier-ignore

/** Parts of a query string as they stand in an address. */
const QUERY_PARTS = [
  '%', '%zz=1', '%00', 'search=%00', 'search=%ed%a0%80', 'filter[title]=%ff', '&&&', '=', '=x', 'page', 'page=', '__proto__=1', 'filter[__proto__]=1',
  'constructor[prototype]=1', 'filter', 'filter=1', 'filter[', 'filter[]=1', 'filter[title', 'filter[title][eq][eq]=1', 'filter[title][]=1',
  'filter[title][__proto__]=1', 'filter[title][toString]=1', 'filter]title[=1', 'filter[id]=x', 'filter[id][in]=', 'filter[priority][in]=1,,2',
  'filter[aJson]=1', 'filter[aJson][null]=true', 'filter[aPassword]=x', 'filter[aDate][gte]=0000-00-00', 'filter[aDatetime]=275760-09-13T00:00:00Z',
  'filter[anInteger]=1e400', 'filter[aDecimal][lt]=-1e-400', 'filter[aFloat]=NaN', 'filter[aTime]=25:00', 'filter[aUuid]=x', 'filter[aBoolean]=maybe',
  'filter[aDecimal]=1e131071', 'filter[aDecimal]=0.1e-16383', 'filter[someBytes][gt]=9223372036854775808', 'filter[title][like]=%25%5C', 'filter[title][like]=%5C',
  'page=1&page=x', 'limit[]=5', 'limit=%2B5', 'limit=0x10', 'page=9007199254740991&limit=1000', 'page=9223372036854775807', 'offset=9223372036854775807',
  'offset=9007199254740991', 'offset=-9007199254740992', 'sort=', 'sort=,,,', 'sort=--title', 'sort=-', 'sort=title,title,-title', 'fields=', 'fields=,',
  'include=', 'include=,', 'include=tags.tasks', 'include=tags,tags', 'scope=', 'scope=all', 'scope=__proto__', 'simplify=x', 'simplify=1', 'search=', 'search=%25',
  'search=%EF%BF%BD%F0%9F%98%80', 'cursor=', 'cursor=W10', 'cursor=bnVsbA', 'cursor=WyIiLG51bGxd', 'cursor=%00', 'cursor=eyJhIjoxfQ', 'cursor=____', 'format=csv',
  'filter[title][bbox]=1,2,3,4', 'event=%00', 'after=x', 'before=2026-02-30', 'userId=x', 'field=', 'field=__proto__', 'status_code=abc', 'status_code=1e9',
  `search=${LONG}`, `filter[title]=${LONG}`, `sort=${'title,'.repeat(400)}`, `fields=${'a,'.repeat(1000)}`, `include=${'tags,'.repeat(400)}`,
  `filter[priority][in]=${'1,'.repeat(1500)}1`, `filter[title][like]=${'%25a'.repeat(600)}`, `cursor=${LONG}`, 'a'.repeat(3000), 'a=1;b=2', '?', '??page=2', '#x',
] // prettier-ignore

/** Adds what no client of good will sends to a query string, or cuts it. */
export function spoiledQuery(query: string, random: Random): string {
  if (random.chance(0.1)) return query.slice(0, random.int(query.length + 1))
  const extra = Array.from({ length: 1 + random.int(2) }, () => random.pick(QUERY_PARTS))
  return (random.chance(0.5) ? [query, ...extra] : [...extra, query]).join('&')
}

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** JSON values as text, and what only looks like them. */
const JSON_PARTS = [
  'null', 'true', '0', '-0', '1e999', '-1e999', '1e-999', '12345678901234567890', '0.1000000000000000055', '1e21', '""', '"\\u0000"', '"a\\ud800"', '"\\udc00\\ud800"',
  '"\\uffff"', '"\\u202e"', '[]', '{}', '[null]', '[[]]', '{"":""}', '{"a":{"a":{}}}', '{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{}}}',
  '{"$gt":""}', '{"a":1,"a":2}', '["a","a"]', '{"length":9e9}', '{"toString":1}', '{"then":1}', '{"toJSON":1}', deep(30), deep(64), deep(70), deep(2000),
  `"${LONG}"`, `[${'1,'.repeat(1100)}1]`, `[${'{},'.repeat(1000)}{}]`, '"0190b3c4-0000-7000-8000-00000000dead"', '"9999-12-31T23:59:59-23:59"', '"NaN"', '"\\n"',
] // prettier-ignore

const NO_JSON = [
  '', ' ', '{', '}', '{"a":', "{'a':1}", '{a:1}', '{"a":1,}', 'NaN', 'undefined', '\ufeff{}', '{}{}', '[1,]', '01', '"\n"', '\u0000', '/**/{}', '"a', '\\u007b}',
] // prettier-ignore

const KEYS = ['id', 'title', 'name', '__proto__', 'constructor', 'prototype', '', ' ', 'items', 'ids', 'data', 'upsert', 'conflict', 'version', 'status', 'createdAt',
  'deletedAt', 'createdById', 'password', 'roles', 'tagId', 'a.b', '$set', 'aJson', 'someBlocks', 'aComponent', 'aDecimal', 'anInteger', 'nonsense'] // prettier-ignore

/** Makes a body hostile: another value, one more member, a member twice, a cut, or no JSON at all. */
export function spoiledBody(body: string | undefined, random: Random): string {
  const whole = body ?? '{}'
  const member = () => `${JSON.stringify(random.pick(KEYS))}:${random.pick(JSON_PARTS)}`
  const ways: Weighted<() => string> = [
    [2, () => random.pick(JSON_PARTS)],
    [1, () => random.pick(NO_JSON)],
    [1, () => whole.slice(0, random.int(whole.length + 1))],
    [1, () => `[${whole}]`],
    [2, () => `{${member()},${member()}}`],
    [3, () => (/^\{./.test(whole) ? `{${member()},${whole.slice(1)}` : whole)],
    [4, () => replaced(whole, random)],
  ]
  return pickWeighted(random, ways)()
}

/** A member's name, or (in the group) a plain value. */
const TOKEN = /"(?:[^"\\]|\\.)*":|("(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|true|false|null)/g

/** Puts something else in place of one of the plain values, however deep it stands. */
function replaced(text: string, random: Random): string {
  const values = [...text.matchAll(TOKEN)].filter(([, value]) => value !== undefined)
  if (values.length === 0) return random.pick(JSON_PARTS)
  const { index, 0: value } = random.pick(values)
  return text.slice(0, index) + random.pick(JSON_PARTS) + text.slice(index + value.length)
}

/** Odd values of headers that mean something to the server. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'if-match': ['', '"', '""', '*', 'W/"1"', '"a", "b', ',,,', '1', '"-1-x"', '"zzzzzzzzzzzzzzzz-x"', LONG],
  'if-none-match': ['', '"', '*', 'W/', '"a","b"', ',', LONG],
  'idempotency-key': ['', ' ', 'a', 'a', 'b', '\u00e9', 'a\tb', 'x'.repeat(255), 'x'.repeat(256), '__proto__'],
  prefer: ['handling=strict', 'handling', 'handling=', ';;,', 'return=minimal; handling="strict', 'HANDLING = STRICT', LONG],
  'accept-language': ['de', '*', ',,,', 'de;q=x', 'en;q=2, de;q=-1', '-', 'x'.repeat(300), `${'a,'.repeat(900)}de`, '__proto__', '\u00e9'],
  'content-type': ['text/plain', 'application/json; charset=utf-16', 'application/vnd.x+json', 'multipart/form-data', '', 'json', 'application/json;', ';', 'APPLICATION/JSON'],
  authorization: ['', 'Bearer', 'Bearer ', 'Bearer x.y.z', 'Basic YTpi', 'bearer svc_x', 'Bearer svc_', `Bearer ${LONG}`, 'Bearer eyJhbGciOiJub25lIn0.e30.', 'Bearer \u00e9'],
  'x-request-id': ['a', '\u00e9', '<script>', LONG, ''],
  'content-encoding': ['gzip', 'identity', 'x'],
  accept: ['text/html', 'nothing', ''],
  'x-forwarded-for': ['1.2.3.4', 'x', '::1, ::1'],
  range: ['bytes=0-1', 'x'],
} // prettier-ignore

/** Headers of which every one is odd. */
export const oddHeaders = (random: Random): Record<string, string> =>
  Object.fromEntries(
    random.some(Object.keys(HEADERS), random.int(3)).map((name) => [name, random.pick(HEADERS[name]!)]),
  )
