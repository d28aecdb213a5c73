import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

// Everything that is wrong is told at once: what has a wrong shape, and what the parts around it mean.

const RESOURCES = `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { title: string, total: decimal, dueOn: date, email: string }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`

/** What is written under the domain, and what is wrong with it: the place, its line there from 1, and words of it. */
interface Case {
  readonly what: string
  readonly text: string
  readonly faults: readonly (readonly [path: string, line: number, words: string, hint?: string])[]
}

const CASES: readonly Case[] = [
  {
    what: 'a condition beside a wrong severity',
    text: `
  rules:
    big:
      trigger: { resource: Order, on: create }
      condition: totl > 5
      action: warn
      severity: awful
      message: '{titel}'`,
    faults: [
      ['rules.big.condition', 4, 'totl', 'total'],
      ['rules.big.severity', 6, 'error'],
      ['rules.big.message', 7, 'titel', 'title'],
    ],
  },
  {
    what: 'texts beside a missing condition',
    text: `
  rules:
    big:
      trigger: { resource: Order, on: [create, sometimes], condition: totl > 5 }
      action: reject
      message: { en: '{titel}' }
      messageData: { a: $record.totl }`,
    faults: [
      ['rules.big.trigger.on', 3, ''],
      ['rules.big.trigger.condition', 3, 'totl', 'total'],
      ['rules.big.condition', 2, 'missing'],
      ['rules.big.message.en', 5, 'titel', 'title'],
      ['rules.big.messageData.a', 6, 'totl', 'total'],
    ],
  },
  {
    what: 'relativeTo, a filter and a sound tier beside a faulty one',
    text: `
  schedules:
    remind:
      source: { resource: Order, filter: totl > 5 }
      relativeTo: title
      tiers:
        - { daysUntil: many, action: noop }
        - { daysUntil: 3, action: update, input: { totl: 4 } }`,
    faults: [
      ['schedules.remind.source.filter', 3, 'totl', 'total'],
      ['schedules.remind.relativeTo', 4, 'date'],
      ['schedules.remind.tiers.0.daysUntil', 6, 'number'],
      ['schedules.remind.tiers.1.input.totl', 7, 'totl', 'total'],
    ],
  },
  {
    what: 'a notification beside a faulty channel',
    text: `
  rules:
    big:
      trigger: { resource: Order, on: create }
      condition: total > 5
      action: log
      message: Big
      priority: high
      notification:
        channels: [log, 7]
        recipients: { field: emial, roles: clerk }
        template: { subject: '{titel}', body: '{totl | mony}' }`,
    faults: [
      ['rules.big.priority', 7, 'number'],
      ['rules.big.notification.channels.1', 9, ''],
      ['rules.big.notification.recipients.roles', 10, 'list'],
      ['rules.big.notification.recipients.field', 10, 'emial', 'email'],
      ['rules.big.notification.template.subject', 11, 'titel', 'title'],
      ['rules.big.notification.template.body', 11, 'totl', 'total'],
    ],
  },
  {
    what: 'a recurrence and an input beside a wrong key',
    text: `
  schedules:
    sweep:
      recurrence: every sometimes
      batched: often
      source: { resource: Order }
      action: update
      input: { titel: x }`,
    faults: [
      ['schedules.sweep.recurrence', 3, ''],
      ['schedules.sweep.batched', 4, 'true'],
      ['schedules.sweep.input.titel', 7, 'titel', 'title'],
    ],
  },
  {
    what: 'other steps beside a faulty one',
    text: `
  workflows:
    course:
      trigger: { resource: Order, event: create, condition: totl > 5 }
      steps:
        first: { action: update, input: { titel: x } }
        second: { action: 7 }
        third: { decide: [{ condition: totl > 5, then: fourth }, { default: maybe, then: end }] }
        fourth: { wait: { resource: Order, event: update, filter: totl > 5, timeout: { duration: soon, then: end } } }`,
    faults: [
      ['workflows.course.trigger.condition', 3, 'totl', 'total'],
      ['workflows.course.steps.first.input.titel', 5, 'titel', 'title'],
      ['workflows.course.steps.second.action', 6, ''],
      ['workflows.course.steps.third.decide.0.condition', 7, 'totl', 'total'],
      ['workflows.course.steps.third.decide.1.default', 7, ''],
      ['workflows.course.steps.fourth.wait.filter', 8, 'totl', 'total'],
      ['workflows.course.steps.fourth.wait.timeout.duration', 8, 'soon'],
    ],
  },
]

describe('[3.3] all that is wrong is told at once', () => {
  const server = useTestKernel({ store: STORES[0]! })

  it.each(CASES)('$what', async ({ text, faults }) => {
    const { status, body } = await server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content: RESOURCES.trimEnd() + text },
    })
    expect(status, JSON.stringify(body)).toBe(422)
    const before = RESOURCES.trimEnd().split('\n').length
    const told = body.errors.map(
      ({ path, line, message, hint }: Record<string, unknown>) =>
        [path, Number(line) - before, message, hint] as const,
    )
    const paths = told.map(([path]: readonly [string]) => path)
    for (const [path, line, words, hint] of faults) {
      const found = told.find(([at]: readonly [string]) => at === `domain.${path}`)
      expect(found, `${path} among ${paths.join(', ')}`).toBeDefined()
      expect([found[1], found[2]]).toEqual([line, expect.stringContaining(words)])
      if (hint !== undefined) expect(`${found[2]} ${found[3]}`).toContain(hint)
    }
    // Nothing is told that is not so.
    expect(paths.filter((path: string) => !faults.some(([one]) => `domain.${one}` === path))).toEqual([])
  })
})
