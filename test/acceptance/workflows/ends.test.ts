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

const PAGES = '/api/v1/desk/pages'
const entry = (text: string, more = '') =>
  `{ action: create, target: Entry, input: { text: '${text}' }${more} }`
const on = (title: string) => `trigger: { resource: Task, event: create, condition: "title == '${title}'" }`

const WORKFLOWS = `
handled:
  ${on('handled')}
  steps:
    before: ${entry('before')}
    fails: { action: transition, transition: finish }
    never: ${entry('never')}
  onError: { action: create, target: Entry, input: { text: '$error.code' } }
mishandled:
  ${on('mishandled')}
  steps:
    fails: { action: transition, transition: finish }
    tidy: { action: transition, transition: finish }
  onError: tidy
split:
  ${on('split')}
  steps:
    fan: { parallel: { steps: [slow, good, bad] } }
    good: ${entry('good')}
    bad: { action: transition, transition: finish, then: worse }
    worse: ${entry('worse')}
    slow: { wait: { timeout: { duration: 1h } }, then: slower }
    slower: ${entry('slower')}
    after: ${entry('after')}
items:
  ${on('items')}
  steps:
    go:
      forEach:
        collection: $trigger.record.tags
        step: { action: update, target: Entry, recordId: $item, input: { text: touched } }
late:
  ${on('late')}
  timeout: { duration: 1d, action: create, target: Entry, input: { text: '$record.title' } }
  steps:
    rest: { wait: { timeout: { duration: 3d } } }
idle:
  ${on('idle')}
  timeout: { duration: 1d }
  steps:
    rest: { wait: { timeout: { duration: 3d } } }
hand:
  steps:
    only: { action: create, target: Entry, input: { text: '$trigger.input.text' } }
about:
  trigger: { resource: Task }
  steps:
    only: { action: update, input: { note: '$trigger.input' } }
numbered:
  trigger: { resource: Page }
  steps:
    only: { action: noop }
`

const definition = desk(WORKFLOWS).replace(
  '  workflows:',
  `    Page:
      object: { no: { type: autoincrement, primaryKey: true }, text: string }
      permissions: *all
  workflows:`,
)

for (const store of STORES) {
  describe(`how workflows end on ${store.name}`, () => {
    const server = useTestKernel({ store, config: QUIET, definition })
    const of = (workflow: string) => instance(server(), `workflow=${workflow}`)
    const ask = (method: string, path: string, body: object = {}) =>
      server().request(method, path, { token: server().admin, body })

    it('W11: a step that fails fails the instance at once; the handler runs once with $error, and it has failed all the same', async () => {
      await addTask(server(), { title: 'handled' })
      await tick(server())
      const failed = await of('handled')
      expect(failed).toMatchObject({
        status: 'failed',
        error: { step: 'fails', code: 'TRANSITION_DENIED', handler: null },
      })
      expect(failed.steps.map(({ name, status }: any) => `${name} ${status}`)).toEqual([
        'before completed',
        'fails failed',
        'onError completed',
      ])
      expect(await texts(server())).toEqual(['before', 'TRANSITION_DENIED'])
    })

    it('W11: a failure of the handler stands in error.handler', async () => {
      await addTask(server(), { title: 'mishandled' })
      await tick(server())
      expect(await of('mishandled')).toMatchObject({
        status: 'failed',
        error: {
          step: 'fails',
          code: 'TRANSITION_DENIED',
          handler: { step: 'tidy', code: 'TRANSITION_DENIED' },
        },
      })
    })

    it('W12: retry sets every failed and cancelled line going again where it stopped, with everything before it kept', async () => {
      const task = await addTask(server(), { title: 'split' })
      await tick(server())
      const failed = await of('split')
      expect(failed).toMatchObject({ status: 'failed', error: { step: 'bad' } })
      expect(failed.steps.map(({ name, status }: any) => `${name} ${status}`)).toEqual([
        'fan failed',
        'slow cancelled',
        'good completed',
        'bad failed',
      ])
      await send(server(), 'POST', `${TASKS}/${task.id}/transitions/begin`, {})
      const again = await send(server(), 'POST', `${INSTANCES}/${failed.id}/retry`, {})
      expect(again).toMatchObject({ status: 'running', error: null, finishedAt: null })
      await tick(server())
      expect(await of('split')).toMatchObject({ status: 'waiting' })
      await pass(server(), 3600)
      const done = await of('split')
      expect(done.status).toBe('completed')
      expect(done.steps.map(({ name, status, attempt }: any) => `${name} ${status} ${attempt}`)).toEqual([
        'fan completed 1',
        'slow cancelled 1',
        'good completed 1',
        'bad failed 1',
        'slow timed_out 2',
        'bad completed 2',
        'worse completed 1',
        'slower completed 1',
        'after completed 1',
      ])
      const written = await texts(server())
      for (const text of ['good', 'worse', 'slower', 'after'])
        expect(written.filter((one) => one === text)).toHaveLength(1)
    })

    it('W10: a retry goes on with the item that failed', async () => {
      const first = await send(server(), 'POST', ENTRIES, { text: 'first' })
      const third = await send(server(), 'POST', ENTRIES, { text: 'third' })
      const id = '01900000-0000-7000-8000-000000000001'
      await addTask(server(), { title: 'items', tags: [first.id, id, third.id] })
      await tick(server())
      const failed = await of('items')
      expect(failed).toMatchObject({ status: 'failed', error: { step: 'go.step', code: 'NOT_FOUND' } })
      await send(server(), 'POST', ENTRIES, { id, text: 'second' })
      await send(server(), 'PATCH', `${ENTRIES}/${first.id}`, { text: 'changed' })
      await send(server(), 'POST', `${INSTANCES}/${failed.id}/retry`, {})
      await tick(server())
      expect(await of('items')).toMatchObject({ status: 'completed' })
      expect(await send(server(), 'GET', `${ENTRIES}/${first.id}`)).toMatchObject({ text: 'changed' })
      expect(await send(server(), 'GET', `${ENTRIES}/${third.id}`)).toMatchObject({ text: 'touched' })
    })

    it('W12: when its time is over all lines are cancelled, the action runs once, and it is timed out', async () => {
      await addTask(server(), { title: 'late' })
      await addTask(server(), { title: 'idle' })
      await tick(server())
      await pass(server(), 86_399)
      expect(await of('late')).toMatchObject({ status: 'waiting' })
      await pass(server(), 1)
      const late = await of('late')
      expect(late.status).toBe('timed_out')
      expect(late.steps).toMatchObject([
        { name: 'rest', status: 'cancelled' },
        { name: 'timeout', status: 'completed', result: { text: 'late' } },
      ])
      expect(await of('idle')).toMatchObject({ status: 'timed_out', finishedAt: expect.any(String) })
      await pass(server(), 3 * 86_400)
      expect((await texts(server())).filter((one) => one === 'late')).toHaveLength(1)
    })

    it('W12: cancel ends what runs or waits; it is 409 for what is over, as retry is unless it has failed', async () => {
      await addTask(server(), { title: 'idle' })
      await tick(server())
      const [, { id }] = await instances(server(), 'workflow=idle')
      expect(await ask('POST', `${INSTANCES}/${id}/retry`)).toMatchObject({
        status: 409,
        body: { error_code: 'CONFLICT' },
      })
      const cancelled = await send(server(), 'POST', `${INSTANCES}/${id}/cancel`, { reason: 'no longer' })
      expect(cancelled).toMatchObject({
        status: 'cancelled',
        reason: 'no longer',
        waitingFor: [],
        finishedAt: expect.any(String),
      })
      expect(cancelled.steps).toMatchObject([{ name: 'rest', status: 'cancelled' }])
      expect((await ask('POST', `${INSTANCES}/${id}/cancel`)).status).toBe(409)
      expect((await ask('POST', `${INSTANCES}/${id}/retry`)).status).toBe(409)
      expect((await ask('POST', `${INSTANCES}/nothing/cancel`)).status).toBe(404)
      expect((await ask('POST', `${INSTANCES}/${id}/cancel`, { raison: 1 })).status).toBe(422)
      await pass(server(), 5 * 86_400)
      expect((await instances(server(), 'workflow=idle'))[1]).toMatchObject({ status: 'cancelled' })
    })

    it('A11: an instance is started by hand, with what it is about and what it is given', async () => {
      const task = await addTask(server(), { title: 'quiet' })
      const made = await ask('POST', `${PATH}/hand/instances`, { input: { text: 'by hand' } })
      expect(made.status).toBe(201)
      expect(made.body.data).toMatchObject({
        workflow: 'hand',
        status: 'running',
        trigger: { event: null, resource: null, recordId: null, record: null, input: { text: 'by hand' } },
      })
      const about = await ask('POST', `${PATH}/about/instances`, { recordId: task.id, input: 'noted' })
      expect(about.status).toBe(201)
      await tick(server())
      expect(await texts(server())).toContain('by hand')
      expect(await send(server(), 'GET', `${TASKS}/${task.id}`)).toMatchObject({ note: 'noted' })
      expect((await ask('POST', `${PATH}/none/instances`)).status).toBe(404)
      expect((await ask('POST', `${PATH}/about/instances`, { recordId: 'nobody' })).status).toBe(404)
      expect((await ask('POST', `${PATH}/about/instances`, {})).status).toBe(422)
      expect((await ask('POST', `${PATH}/hand/instances`, { recordId: task.id })).status).toBe(422)
    })

    it('A11: it keeps the key of the record, however that was written; an integer is written in one way', async () => {
      const task = await addTask(server(), { title: 'quiet' })
      const loud = await ask('POST', `${PATH}/about/instances`, {
        recordId: task.id.toUpperCase(),
        input: 'x',
      })
      expect(loud.body.data.trigger).toMatchObject({ recordId: task.id })
      const { no } = await send(server(), 'POST', PAGES, { text: 'one' })
      for (const recordId of [no, `${no}`])
        expect(
          (await ask('POST', `${PATH}/numbered/instances`, { recordId })).body.data.trigger,
        ).toMatchObject({
          recordId: `${no}`,
        })
      for (const other of [`${no}e0`, `0${no}`, ` ${no}`, `${no}.0`, `+${no}`, `0x${no}`]) {
        const started = await ask('POST', `${PATH}/numbered/instances`, { recordId: other })
        const { request, admin: token } = server()
        const read = await request('GET', `${PAGES}/${encodeURIComponent(other)}`, { token })
        expect([other, started.status, read.status]).toEqual([other, 404, 404])
      }
    })

    it('A10: a disabled workflow starts none, and its running ones go on', async () => {
      await addTask(server(), { title: 'late' })
      await tick(server())
      const before = (await instances(server(), 'workflow=late')).length
      const off = await ask('PATCH', `${PATH}/late`, { enabled: false })
      expect(off.body.data).toMatchObject({
        name: 'late',
        enabled: false,
        overridden: true,
        version: 1,
        counts: { waiting: 1 },
      })
      await addTask(server(), { title: 'late' })
      expect(await instances(server(), 'workflow=late')).toHaveLength(before)
      await pass(server(), 86_400)
      expect((await instances(server(), 'workflow=late')).at(-1)).toMatchObject({ status: 'timed_out' })
      await ask('PATCH', `${PATH}/hand`, { enabled: false })
      expect(await ask('POST', `${PATH}/hand/instances`, {})).toMatchObject({ status: 409 })
    })

    it('A11: every endpoint needs an administrator', async () => {
      const { token } = await server().account('guest')
      for (const path of [PATH, `${PATH}/late`, INSTANCES])
        expect((await server().request('GET', path, { token })).status).toBe(403)
      expect((await server().request('GET', PATH)).status).toBe(401)
    })
  })
}
