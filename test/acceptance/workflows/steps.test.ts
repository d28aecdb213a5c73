import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import {
  addTask,
  desk,
  ENTRIES,
  instance,
  instances,
  INSTANCES,
  pass,
  QUIET,
  send,
  TASKS,
  tick,
} from './desk.ts'

const entry = (text: string, more = '') =>
  `{ action: create, target: Entry, input: { text: '${text}' }${more} }`

const WORKFLOWS = `
actions:
  trigger: { resource: Task, event: create, condition: "title == 'actions'" }
  steps:
    first: { action: create, target: Entry, input: { text: '$record.title', task: '$record.id', size: '$(size + 1)' } }
    second: { action: update, input: { note: '$steps.first.result.text' } }
    third: { action: update, target: Entry, recordId: '$steps.first.result.id', input: { text: '$trigger.record.note' } }
    fourth: { action: transition, transition: begin }
    fifth: { action: noop }
decides:
  trigger: { resource: Task, event: create, condition: "title == 'decides'" }
  start: choose
  steps:
    big: ${entry('big', ', then: end')}
    small: ${entry('small', ', then: end')}
    choose:
      decide:
        - { default: true, then: small }
        - { condition: size > 5, then: big }
        - { condition: size > 2, then: end }
undecided:
  trigger: { resource: Task, event: create, condition: "title == 'undecided'" }
  steps:
    choose: { decide: [{ condition: size > 5, then: end }] }
all:
  trigger: { resource: Task, event: create, condition: "title == 'all'" }
  steps:
    split: { parallel: { steps: [left, right] } }
    left: ${entry('left', ', then: further')}
    further: ${entry('further')}
    right: { wait: { timeout: { duration: 1h } } }
    after: { action: update, input: { note: '$steps.split.result.left.text' } }
any:
  trigger: { resource: Task, event: create, condition: "title == 'any'" }
  steps:
    split:
      parallel:
        mode: any
        steps:
          slow: { wait: { timeout: { duration: 1h } } }
          fast: { action: update, target: Task, recordId: nothing, input: { note: x } }
          right: { wait: { timeout: { duration: 1m } } }
    after: ${entry('after any')}
each:
  trigger: { resource: Task, event: create, condition: "title == 'each'" }
  steps:
    go:
      forEach:
        collection: $trigger.record.tags
        as: tag
        step: { action: create, target: Entry, input: { text: '$tag' } }
    after: { action: update, input: { note: '$steps.go.result[1].text' } }
records:
  trigger: { resource: Task, event: create, condition: "title == 'records'" }
  steps:
    go: { forEach: { collection: { resource: Entry, filter: "task == 'mine'" }, as: line, step: one } }
    one: { action: update, input: { text: '$line.text' }, then: two }
    two: { action: update, input: { size: '$(size + 1)' } }
`

for (const store of STORES) {
  describe(`steps of workflows on ${store.name}`, () => {
    const server = useTestKernel({ store, config: QUIET, definition: desk(WORKFLOWS) })
    const of = (workflow: string) => instance(server(), `workflow=${workflow}`)
    const statuses = async (workflow: string) =>
      (await of(workflow)).steps.map(
        ({ name, status }: { name: string; status: string }) => `${name} ${status}`,
      )

    it('W5: an action writes, keeps the record after it as its result, and goes on', async () => {
      const task = await addTask(server(), { title: 'actions', note: 'n', size: 4 })
      expect(await of('actions')).toMatchObject({ status: 'running', steps: [] })
      await tick(server())
      const done = await of('actions')
      expect(done.status).toBe('completed')
      expect(done.steps.map(({ name }: { name: string }) => name)).toEqual([
        'first',
        'second',
        'third',
        'fourth',
        'fifth',
      ])
      expect(done.steps[0]).toMatchObject({
        kind: 'action',
        status: 'completed',
        attempt: 1,
        item: null,
        result: { text: 'actions', task: task.id, size: 5 },
        event: null,
        error: null,
      })
      expect(done.steps[4].result).toBeNull()
      expect(await send(server(), 'GET', `${TASKS}/${task.id}`)).toMatchObject({
        note: 'actions',
        status: 'doing',
      })
      const { items } = await send(server(), 'GET', `${ENTRIES}?task=${task.id}`)
      expect(items).toMatchObject([{ text: 'n' }])
    })

    it('W8: decide takes the first that is true, and else the default, wherever that stands', async () => {
      for (const size of [9, 3, 1]) await addTask(server(), { title: 'decides', size })
      await tick(server())
      const all = await instances(server(), 'workflow=decides')
      expect(all.map(({ steps }: any) => steps.map(({ name }: any) => name))).toEqual([
        ['choose', 'big'],
        ['choose'],
        ['choose', 'small'],
      ])
      expect(all.every(({ status }: any) => status === 'completed')).toBe(true)
    })

    it('W8: without a default the step fails with NO_BRANCH', async () => {
      await addTask(server(), { title: 'undecided' })
      await tick(server())
      const failed = await of('undecided')
      expect(failed).toMatchObject({
        status: 'failed',
        error: { step: 'choose', code: 'NO_BRANCH', handler: null },
      })
      expect(failed.steps).toMatchObject([{ name: 'choose', status: 'failed', error: { code: 'NO_BRANCH' } }])
    })

    it('W9: all goes on when every branch has ended, with the last result of each', async () => {
      const task = await addTask(server(), { title: 'all' })
      await tick(server())
      const waiting = await of('all')
      expect(waiting.status).toBe('waiting')
      expect(waiting.waitingFor).toMatchObject([{ step: 'right', resource: null, until: expect.any(String) }])
      await pass(server(), 3600)
      const done = await of('all')
      expect(done.status).toBe('completed')
      expect(done.steps.find(({ name }: any) => name === 'split').result).toMatchObject({
        left: { text: 'further' },
        right: null,
      })
      expect(await send(server(), 'GET', `${TASKS}/${task.id}`)).toMatchObject({ note: 'further' })
    })

    it('W9: any goes on with the first that ends; one that failed, and those left over, are no matter', async () => {
      await addTask(server(), { title: 'any' })
      await tick(server())
      expect(await of('any')).toMatchObject({ status: 'waiting' })
      await pass(server(), 60)
      expect(await of('any')).toMatchObject({ status: 'completed' })
      expect(await statuses('any')).toEqual([
        'split completed',
        'slow cancelled',
        'fast failed',
        'right timed_out',
        'after completed',
      ])
    })

    it('W10: forEach takes one item after the other; its result is the list of results', async () => {
      const task = await addTask(server(), { title: 'each', tags: ['a', 'b', 'c'] })
      await tick(server())
      const done = await of('each')
      expect(done.status).toBe('completed')
      const go = done.steps.find(({ name }: any) => name === 'go')
      expect(go.result.map(({ text }: any) => text)).toEqual(['a', 'b', 'c'])
      expect(done.steps.map(({ name, item }: any) => [name, item])).toEqual([
        ['go', null],
        ['go.step', 'a'],
        ['go.step', 'b'],
        ['go.step', 'c'],
        ['after', null],
      ])
      expect(await send(server(), 'GET', `${TASKS}/${task.id}`)).toMatchObject({ note: 'b' })
    })

    it('W10: null is no item; what is no list fails with NOT_A_LIST; more than 1,000 with ITEM_LIMIT', async () => {
      for (const tags of [null, 'text', Array.from({ length: 1001 }, () => 1)])
        await addTask(server(), { title: 'each', tags })
      await tick(server())
      const [, none, text, many] = await instances(server(), 'workflow=each')
      expect(none).toMatchObject({
        status: 'completed',
        steps: [{ name: 'go', result: [] }, { name: 'after' }],
      })
      expect(text).toMatchObject({ status: 'failed', error: { step: 'go', code: 'NOT_A_LIST' } })
      expect(many).toMatchObject({ status: 'failed', error: { step: 'go', code: 'ITEM_LIMIT' } })
    })

    it('W10: the records of a resource are items in the order of their keys, each at hand in its turn', async () => {
      const made = []
      for (const size of [1, 2])
        made.push(await send(server(), 'POST', ENTRIES, { text: `e${size}`, task: 'mine', size }))
      await addTask(server(), { title: 'records' })
      await tick(server())
      expect(await of('records')).toMatchObject({ status: 'completed' })
      for (const [at, { id }] of made.entries())
        expect(await send(server(), 'GET', `${ENTRIES}/${id}`)).toMatchObject({
          text: `e${at + 1}`,
          size: at + 2,
        })
    })

    it('W14: an instance tells what set it off', async () => {
      const found = await of('actions')
      expect(found).toMatchObject({
        workflow: 'actions',
        version: 1,
        depth: 0,
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
        waitingFor: [],
        error: null,
        reason: null,
        trigger: {
          event: 'create',
          resource: 'Task',
          record: { title: 'actions', note: 'n', status: 'open' },
          actor: { username: 'admin' },
          input: null,
        },
      })
      const { items } = await send(server(), 'GET', `${INSTANCES}?workflow=actions`)
      expect(items[0]).not.toHaveProperty('steps')
    })
  })
}
