import { AutomationCapability } from '@svc/automation/contract'
import { definePlugin, errors, type Plugin } from '@svc/kernel'
import { column, StoreCapability, type Table } from '@svc/store/contract'
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
  texts,
  tick,
  WORKFLOWS as PATH,
} from './desk.ts'

const on = (title: string) => `trigger: { resource: Task, event: create, condition: "title == '${title}'" }`

const WORKFLOWS = `
chain:
  trigger: { resource: Entry, event: create, condition: "task == 'chain'" }
  steps: { next: { action: create, target: Entry, input: { text: next, task: chain } } }
large:
  ${on('large')}
  steps:
    one: { action: update, input: { note: one } }
    two: { action: update, input: { note: two } }
    three: { action: update, input: { note: three } }
long:
  ${on('long')}
  steps:
    rest: { wait: { timeout: { duration: 1h } } }
    one: { action: noop }
    two: { action: noop }
flaky:
  ${on('flaky')}
  steps:
    before: { action: create, target: Entry, input: { text: before } }
    reach: { action: flaky }
    after: { action: create, target: Entry, input: { text: after } }
each:
  ${on('each')}
  steps: { a: { action: noop } }
`

/** An action of a plugin's own that is out of reach as often as it is told. */
let failures = 0
const flaky: Plugin = definePlugin({
  name: 'flaky',
  phase: 'domain',
  requires: { automation: AutomationCapability },
  setup: ({ automation }) =>
    automation.performs('flaky', {
      compile: () => ({
        expressions: [],
        perform: async () => {
          if ((failures -= 1) >= 0) throw errors.UNAVAILABLE({ message: 'out of reach' })
          return {}
        },
      }),
    }),
})

const heard: any[] = []
const ear: Plugin = definePlugin({
  name: 'ear',
  phase: 'domain',
  setup: ({ bus }) =>
    void bus.on(
      'svc.desk.workflow.*',
      (event: unknown, name) => void heard.push({ ...Object(event), as: name }),
    ),
})

const ID = column('id', 'uuid')
const INSTANCE_TABLE: Table = {
  name: 'desk__workflows__instances',
  columns: [ID, column('steps', 'integer')],
  primaryKey: [ID],
  indexes: [],
  foreignKeys: [],
}

for (const store of STORES) {
  describe(`bounds of workflows on ${store.name}`, () => {
    const server = useTestKernel({ store, config: QUIET, plugins: [flaky, ear], definition: desk(WORKFLOWS) })
    const of = (workflow: string) => instance(server(), `workflow=${workflow}`)

    it('A9: a write 8 deep starts no workflow: the instance has failed with TOO_DEEP, and the write stands', async () => {
      await send(server(), 'POST', ENTRIES, { text: 'first', task: 'chain' })
      await tick(server())
      const all = await instances(server(), 'workflow=chain')
      expect(all.map(({ depth, status }: any) => `${depth} ${status}`)).toEqual([
        ...Array.from({ length: 8 }, (_, depth) => `${depth} completed`),
        '8 failed',
      ])
      expect(all[8]).toMatchObject({
        error: { step: null, code: 'TOO_DEEP' },
        steps: [],
        finishedAt: expect.any(String),
      })
      expect(await texts(server())).toHaveLength(9)
    })

    it('A15: what would keep more than 1 MiB fails with TOO_LARGE, and nothing of the step is left', async () => {
      const task = await addTask(server(), { title: 'large', tags: ['x'.repeat(400_000)] })
      await tick(server())
      const failed = await of('large')
      expect(failed).toMatchObject({ status: 'failed', error: { step: 'two', code: 'TOO_LARGE' } })
      expect(await send(server(), 'GET', `${TASKS}/${task.id}`)).toMatchObject({ note: 'one' })
    })

    it('A15: an instance takes 10,000 steps, and then fails with STEP_LIMIT', async () => {
      await addTask(server(), { title: 'long' })
      await tick(server())
      const { id } = await of('long')
      await server()
        .kernel.get(StoreCapability)
        .transaction((transaction) =>
          transaction.update({
            table: INSTANCE_TABLE,
            set: { steps: 9999 },
            where: { op: 'eq', column: ID, value: id },
          }),
        )
      await pass(server(), 3600)
      expect(await of('long')).toMatchObject({ status: 'failed', error: { step: 'two', code: 'STEP_LIMIT' } })
    })

    it('W11: what is out of reach is tried again after 1, 5, 25 and 125 s, and then fails', async () => {
      failures = 3
      await addTask(server(), { title: 'flaky' })
      await tick(server())
      for (const seconds of [1, 5]) {
        expect((await of('flaky')).steps).toMatchObject([{ name: 'before' }])
        await pass(server(), seconds)
      }
      expect(await of('flaky')).toMatchObject({ status: 'running' })
      await pass(server(), 24)
      expect(await of('flaky')).toMatchObject({ status: 'running' })
      await pass(server(), 1)
      expect(await of('flaky')).toMatchObject({
        status: 'completed',
        steps: [{ name: 'before' }, { name: 'reach', status: 'completed', attempt: 4 }, { name: 'after' }],
      })
      failures = Infinity
      await addTask(server(), { title: 'flaky' })
      await tick(server())
      for (const seconds of [1, 5, 25]) await pass(server(), seconds)
      expect((await instances(server(), 'workflow=flaky'))[1]).toMatchObject({ status: 'running' })
      await pass(server(), 125)
      const failed = (await instances(server(), 'workflow=flaky'))[1]
      expect(failed).toMatchObject({ status: 'failed', error: { step: 'reach', code: 'UNAVAILABLE' } })
      expect(failed.steps).toMatchObject([
        { name: 'before' },
        { name: 'reach', status: 'failed', attempt: 5 },
      ])
      failures = 0
      await send(server(), 'POST', `${INSTANCES}/${failed.id}/retry`, {})
      await tick(server())
      expect((await instances(server(), 'workflow=flaky'))[1]).toMatchObject({ status: 'completed' })
    })

    it('A12: the bus hears of what begins and ends, once that is committed, with the entry in full', async () => {
      heard.length = 0
      const task = await addTask(server(), { title: 'each' })
      await tick(server())
      await expect.poll(() => heard.length).toBe(2)
      expect(heard).toMatchObject([
        { as: 'svc.desk.workflow.each.started', domain: 'desk', entry: { trigger: { recordId: task.id } } },
        { as: 'svc.desk.workflow.each.completed', entry: { status: 'completed', steps: [{ name: 'a' }] } },
      ])
      expect(heard[0].id).toBe(heard[0].entry.id)
    })

    it('A11: workflows are listed as declared, with version and counts', async () => {
      const { items } = await send(server(), 'GET', `${PATH}?resource=Entry`)
      expect(items).toMatchObject([
        {
          name: 'chain',
          enabled: true,
          overridden: false,
          version: 1,
          start: 'next',
          steps: { next: { action: 'create' } },
          counts: { running: 0, waiting: 0, completed: 8, failed: 1, cancelled: 0, timed_out: 0 },
        },
      ])
      expect((await send(server(), 'GET', PATH)).items.map(({ name }: any) => name)).toEqual([
        'chain',
        'large',
        'long',
        'flaky',
        'each',
      ])
      const { request, admin: token } = server()
      expect((await request('GET', `${PATH}/none`, { token })).status).toBe(404)
      expect((await request('GET', `${INSTANCES}?status=odd`, { token })).status).toBe(400)
    })
  })
}
