import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { desk, QUIET, submitted } from './desk.ts'

const noop = '{ action: noop }'

/** What is wrong with a definition: its place below `domain.workflows`, a part of its message, and the text. */
const FAULTS: readonly (readonly [ruling: string, place: string, message: string, text: string])[] = [
  ['A1: a name that is taken', 'instances', 'taken', `instances:\n  steps: { a: ${noop} }`],
  ['A1: a name with a space', 'x y', 'no name', `'x y':\n  steps: { a: ${noop} }`],
  ['A1: a step called end', 'w.steps.end', 'taken', `w:\n  steps: { a: ${noop}, end: ${noop} }`],
  [
    'A1: an unknown resource',
    'w.trigger.resource',
    'no resource',
    `w:\n  trigger: { resource: Tusk, event: create }\n  steps: { a: ${noop} }`,
  ],
  [
    'A1: an unknown transition',
    'w.trigger.transition',
    'no transition',
    `w:\n  trigger: { resource: Task, event: transition, transition: fly }\n  steps: { a: ${noop} }`,
  ],
  [
    'A1: fields without update',
    'w.trigger.fields',
    'means nothing',
    `w:\n  trigger: { resource: Task, event: create, fields: [title] }\n  steps: { a: ${noop} }`,
  ],
  [
    'W1: fieldChange without field',
    'w.trigger.field',
    'missing',
    `w:\n  trigger: { resource: Task, event: fieldChange }\n  steps: { a: ${noop} }`,
  ],
  [
    'W1: a condition without event',
    'w.trigger.condition',
    'means nothing',
    `w:\n  trigger: { resource: Task, condition: size > 1 }\n  steps: { a: ${noop} }`,
  ],
  ['W1: no steps', 'w.steps', 'empty', `w:\n  steps: {}`],
  ['W1: a start that is none', 'w.start', 'no step', `w:\n  start: b\n  steps: { a: ${noop} }`],
  [
    'A2: a duration that is none',
    'w.timeout.duration',
    'no duration',
    `w:\n  timeout: { duration: 30x }\n  steps: { a: ${noop} }`,
  ],
  [
    'A2: a duration out of bounds',
    'w.steps.a.wait.timeout.duration',
    'out of bounds',
    `w:\n  steps: { a: { wait: { timeout: { duration: 999999999d } } } }`,
  ],
  [
    'A2: a duration below zero',
    'w.steps.a.wait.timeout.duration',
    '',
    `w:\n  steps: { a: { wait: { timeout: { duration: -5m } } } }`,
  ],
  [
    'A3: an unknown name',
    'w.steps.a.decide.0.condition',
    'sise',
    `w:\n  trigger: { resource: Task, event: create }\n  steps: { a: { decide: [{ condition: sise > 1, then: end }] } }`,
  ],
  [
    'A3: an unknown step',
    'w.steps.a',
    'askk',
    `w:\n  steps: { a: { decide: [{ condition: $steps.askk.result == 1, then: end }] } }`,
  ],
  [
    'A3: $error outside of the handler',
    'w.steps.a.decide.0.condition',
    'error',
    `w:\n  steps: { a: { decide: [{ condition: "$error.code == 'X'", then: end }] } }`,
  ],
  [
    'A3: $item outside of a forEach',
    'w.steps.a.decide.0.condition',
    'item',
    `w:\n  steps: { a: { decide: [{ condition: $item == 1, then: end }] } }`,
  ],
  [
    'A7: no record at hand',
    'w.steps.a',
    'no record is at hand',
    `w:\n  steps: { a: { action: update, input: { title: x } } }`,
  ],
  [
    'A7: an unknown field',
    'w.steps.a.input.titel',
    '',
    `w:\n  steps: { a: { action: create, target: Entry, input: { titel: x } } }`,
  ],
  ['A7: an action for schedules', 'w.steps.a.action', '', `w:\n  steps: { a: { action: delete } }`],
  [
    'W4: two kinds',
    'w.steps.a',
    'holds',
    `w:\n  steps: { a: { action: noop, decide: [{ default: true, then: end }] } }`,
  ],
  ['W4: no kind', 'w.steps.a', 'does nothing', `w:\n  steps: { a: { then: end } }`],
  ['W4: then to no step', 'w.steps.a.then', 'no step', `w:\n  steps: { a: { action: noop, then: z } }`],
  [
    'W4: then into a branch',
    'w.steps.a.then',
    'branch',
    `w:\n  steps: { a: { action: noop, then: c }, b: { parallel: { steps: [c] } }, c: ${noop} }`,
  ],
  [
    'W4: then out of a branch',
    'w.steps',
    'branch',
    `w:\n  steps: { b: { parallel: { steps: [c] }, then: d }, c: { action: noop, then: d }, d: ${noop} }`,
  ],
  [
    'W4: then from one branch into another',
    'w.steps',
    'branch',
    `w:\n  steps: { b: { parallel: { steps: [c, d] } }, c: { action: noop, then: d }, d: ${noop} }`,
  ],
  [
    'W4: a step that two branches name',
    'w.steps',
    'branch',
    `w:\n  steps: { b: { parallel: { steps: [c, c] } }, c: ${noop} }`,
  ],
  [
    'W4: a step written in place that has a listed name',
    'w.steps',
    'another step',
    `w:\n  steps: { b: { parallel: { steps: { c: ${noop} } } }, c: ${noop} }`,
  ],
  [
    'W4: a circle without a wait',
    'w.steps',
    'waits nowhere',
    `w:\n  steps: { a: ${noop}, b: { action: noop, then: a } }`,
  ],
  [
    'W4: condition on a step that is no wait',
    'w.steps.a.condition',
    'means nothing',
    `w:\n  steps: { a: { action: noop, condition: 1 == 1 } }`,
  ],
  ['W6: a wait for nothing', 'w.steps.a.wait', 'waits for nothing', `w:\n  steps: { a: { wait: {} } }`],
  [
    'W6: timeout.then is missing beside resource',
    'w.steps.a.wait.timeout.then',
    'missing',
    `w:\n  steps: { a: { wait: { resource: Task, event: update, filter: 'size > 1', timeout: { duration: 1h } } } }`,
  ],
  [
    'W6: then in the wait and beside it',
    'w.steps.a.then',
    'too',
    `w:\n  steps: { a: { wait: { timeout: { duration: 1h }, then: end }, then: end } }`,
  ],
  [
    'W6: else without condition',
    'w.steps.a.else',
    'means nothing',
    `w:\n  timeout: { duration: 1d }\n  steps: { a: { wait: { resource: Task, event: update, filter: 'size > 1' }, else: end } }`,
  ],
  ['W8: an empty decide', 'w.steps.a.decide', 'empty', `w:\n  steps: { a: { decide: [] } }`],
  [
    'W8: two defaults',
    'w.steps.a.decide',
    'two defaults',
    `w:\n  steps: { a: { decide: [{ default: true, then: end }, { default: true, then: end }] } }`,
  ],
  [
    'A15: 51 branches',
    'w.steps.a.decide',
    '50',
    `w:\n  steps: { a: { decide: [${Array.from({ length: 51 }, () => '{ condition: 1 == 1, then: end }').join(', ')}] } }`,
  ],
  [
    'W9: a parallel of nothing',
    'w.steps.a.parallel.steps',
    'empty',
    `w:\n  steps: { a: { parallel: { steps: [] } } }`,
  ],
  [
    'W10: an unknown resource of a collection',
    'w.steps.a.forEach.collection.resource',
    'no resource',
    `w:\n  steps: { a: { forEach: { collection: { resource: Tusk }, step: ${noop} } } }`,
  ],
  [
    'W10: a name of items that means something else',
    'w.steps.a.forEach.as',
    'something else',
    `w:\n  steps: { a: { forEach: { collection: '[1]', as: steps, step: ${noop} } } }`,
  ],
]

/** What is no fault and hardly meant. */
const WARNINGS: typeof FAULTS = [
  [
    'W4: a step that nothing reaches',
    'w.steps.b',
    'nothing leads',
    `w:\n  steps: { a: { action: noop, then: end }, b: ${noop} }`,
  ],
  [
    'W6: a wait without filter',
    'w.steps.a.wait',
    'any record',
    `w:\n  timeout: { duration: 1d }\n  steps: { a: { wait: { resource: Task, event: update } } }`,
  ],
  [
    'W6: a wait without any timeout',
    'w.steps.a.wait',
    'for ever',
    `w:\n  steps: { a: { wait: { resource: Task, event: update, filter: size > 1 } } }`,
  ],
]

for (const store of STORES) {
  describe(`the language of workflows on ${store.name}`, () => {
    const server = useTestKernel({ store, config: QUIET })

    it('A1: what cannot be used is PARSE_ERROR, told with its place', async () => {
      for (const [ruling, place, message, text] of FAULTS) {
        const { status, body } = await submitted(server(), desk(text))
        expect.soft(body.error_code, `${ruling}: ${JSON.stringify(body.data)}`).toBe('PARSE_ERROR')
        expect.soft(status).toBe(422)
        const told = (body.errors ?? []).map(
          (one: { path: string; message: string }) => `${one.path}: ${one.message}`,
        )
        const found = told.some(
          (one: string) => one.startsWith(`domain.workflows.${place}`) && one.includes(message),
        )
        expect.soft(found, `${ruling}: ${told.join(' | ')}`).toBe(true)
      }
    }, 60_000)

    it('W4: what is hardly meant is a warning', async () => {
      for (const [ruling, place, message, text] of WARNINGS) {
        const { status, body } = await submitted(server(), desk(text))
        expect.soft(status, `${ruling}: ${JSON.stringify(body)}`).toBe(201)
        const told = JSON.stringify(body)
        expect.soft(told, ruling).toContain(`domain.workflows.${place}`)
        expect.soft(told, ruling).toContain(message)
      }
    }, 30_000)
  })
}
