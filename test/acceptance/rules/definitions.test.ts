import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { OPEN } from './desk.ts'

const definition = (rules: string) => `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      object: { title: string, total: integer, double: { type: integer, computed: total * 2 }, status: { type: string, enum: [open, done] } }
      stateMachine: { field: status, initial: open, states: { open: { transitions: { finish: { to: done } } }, done: {} } }
      permissions: ${OPEN}
    Tag: { object: { name: string }, permissions: ${OPEN} }
  rules:
${rules.replace(/^/gm, '    ')}
`
const RULE = "condition: total > 1, action: reject, message: 'no'"
const on = (events: string, more = '') => `{ trigger: { resource: Order, on: ${events} }, ${RULE}${more} }`

/** What is wrong with rules: what is written, and what is told of it. */
const WRONG: readonly (readonly [what: string, rules: string, told: RegExp])[] = [
  [
    'a resource that is not there',
    `a: { trigger: { resource: Ordr, on: create }, ${RULE} }`,
    /no resource 'Ordr'.*Order/,
  ],
  ['no trigger', `a: { ${RULE} }`, /trigger/],
  ['no action', "a: { trigger: { resource: Order, on: create }, condition: 'true', message: x }", /action/],
  [
    'no message',
    'a: { trigger: { resource: Order, on: create }, condition: "true", action: log }',
    /message/,
  ],
  ['no condition', 'a: { trigger: { resource: Order, on: create }, action: log, message: x }', /condition/],
  ['no moment', `a: { trigger: { resource: Order }, ${RULE} }`, /on/],
  ['an unknown moment', `a: ${on('restore')}`, /restore|create/],
  [
    'fields without update',
    `a: { trigger: { resource: Order, on: create, fields: [title] }, ${RULE} }`,
    /fields.*update/,
  ],
  [
    'an unknown field',
    `a: { trigger: { resource: Order, on: update, fields: [titel] }, ${RULE} }`,
    /no field 'titel'.*title/,
  ],
  [
    'a field that no write changes',
    `a: { trigger: { resource: Order, on: update, fields: [double] }, ${RULE} }`,
    /double/,
  ],
  [
    'transition without on',
    `a: { trigger: { resource: Order, on: update, transition: finish }, ${RULE} }`,
    /transition/,
  ],
  [
    'an unknown transition',
    `a: { trigger: { resource: Order, on: transition, transition: finsh }, ${RULE} }`,
    /finsh.*finish/,
  ],
  [
    'transitions without states',
    `a: { trigger: { resource: Tag, on: transition, transition: finish }, condition: 'true', action: log, message: x }`,
    /Tag/,
  ],
  [
    'an unknown name in a condition',
    'a: { trigger: { resource: Order, on: create }, condition: totl > 1, action: log, message: x }',
    /totl.*total/,
  ],
  [
    'an unknown name in trigger.condition',
    `a: { trigger: { resource: Order, on: create, condition: nobody }, ${RULE} }`,
    /nobody/,
  ],
  ['an unknown name in a value', `a: ${on('create', ', messageData: { x: $record.nothing }')}`, /nothing/],
  ['a reserved name', `log: ${on('create')}`, /'log' is taken/],
  ['another reserved name', `instances: ${on('create')}`, /'instances' is taken/],
  ['a name of 64 characters', `${'a'.repeat(64)}: ${on('create')}`, /a{60}/],
  ['a name that is none', `'a b': ${on('create')}`, /'a b'/],
  [
    'an unknown action',
    'a: { trigger: { resource: Order, on: create }, condition: "true", action: refuse, message: x }',
    /reject/,
  ],
  ['an unknown severity', `a: ${on('create', ', severity: grave')}`, /severity|error/],
  ['history of what rejects', `a: ${on('create', ', history: true')}`, /rejects/],
  [
    'history without a timeline',
    "a: { trigger: { resource: Order, on: create }, condition: 'true', action: log, message: x, history: true }",
    /'Order' keeps no timeline/,
  ],
  ['an unknown rule', `a: ${on('create', ', dependsOn: bb')}\nbbb: ${on('create')}`, /no rule 'bb'.*bbb/],
  [
    'a circle',
    `a: ${on('create', ', dependsOn: b')}\nb: ${on('create', ', dependsOn: [c]')}\nc: ${on('create', ', dependsOn: a')}`,
    /circle: 'a' on 'b' on 'c' on 'a'/,
  ],
  ['itself', `a: ${on('create', ', dependsOn: a')}`, /circle: 'a' on 'a'/],
  [
    'a rule of another resource',
    `a: ${on('create', ', dependsOn: b')}\nb: { trigger: { resource: Tag, on: create }, condition: name == 'x', action: reject, message: x }`,
    /'b' looks at 'Tag'/,
  ],
  [
    'reject on warn',
    `a: ${on('create', ', dependsOn: b')}\nb: { trigger: { resource: Order, on: create }, condition: 'true', action: warn, message: x }`,
    /'b' is asked later/,
  ],
  [
    'warn on log',
    "a: { trigger: { resource: Order, on: create }, condition: 'true', action: warn, message: x, dependsOn: b }\nb: { trigger: { resource: Order, on: create }, condition: 'true', action: log, message: x }",
    /'b' is asked later/,
  ],
]

describe('rules that cannot be used', () => {
  const server = useTestKernel({ store: STORES[0]! })
  const submit = (rules: string) =>
    server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content: definition(rules) },
    })

  it.each(WRONG)('A1, A3, B1, B4, B7: %s is PARSE_ERROR, with its place', async (_, rules, told) => {
    const { status, body } = await submit(rules)
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    expect(JSON.stringify(body.errors)).toMatch(told)
    expect(body.errors[0].path).toMatch(/^domain\.rules/)
    expect(body.errors[0].line).toBeGreaterThan(0)
  })

  it('B4: log may depend on reject and on warn', async () => {
    const log = (of: string) =>
      `{ trigger: { resource: Order, on: create }, condition: 'true', action: log, message: x, dependsOn: ${of} }`
    const warn =
      "{ trigger: { resource: Order, on: create }, condition: 'true', action: warn, message: x, dependsOn: a }"
    expect((await submit(`a: ${on('create')}\nb: ${warn}\nc: ${log('[a, b]')}`)).status).toBe(201)
  })
})
