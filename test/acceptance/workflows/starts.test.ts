import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { addTask, desk, instance, instances, INSTANCES, pass, QUIET, send, TASKS, tick } from './desk.ts'

const WORKFLOWS = `
any:
  trigger: { resource: Task, event: update, condition: "note == 'go'" }
  steps: { rest: { wait: { timeout: { duration: 1h } } } }
moved:
  trigger: { resource: Task, event: fieldChange, field: status, condition: "title == 'moved'" }
  steps: { rest: { wait: { timeout: { duration: 1h } } } }
stages:
  trigger: { resource: Task, event: create, condition: "title == 'stages'" }
  timeout: { duration: 1d, action: noop }
  steps:
    first: { action: noop }
    rest: { wait: { timeout: { duration: 1h } } }
    next: { action: noop }
fails:
  trigger: { resource: Task, event: create, condition: "title == 'fails'" }
  steps: { bad: { action: transition, transition: finish } }
long:
  trigger: { resource: Task, event: create, condition: "title == 'long'" }
  timeout: { duration: 1d, action: noop }
  steps: { rest: { wait: { timeout: { duration: 3d } } } }
`

for (const store of STORES) {
  describe(`how workflows start and stand on ${store.name}`, () => {
    const server = useTestKernel({ store, config: QUIET, definition: desk(WORKFLOWS) })
    const of = (workflow: string) => instance(server(), `workflow=${workflow}`)
    const request = async (method: string, path: string, body: object) =>
      (await server().request(method, path, { token: server().admin, body })).status

    it('W2: with the answer the instance is there; with a refused write it never was', async () => {
      await addTask(server(), { title: 'stages' })
      expect(await of('stages')).toMatchObject({ status: 'running', steps: [] })
      expect(await request('POST', TASKS, { title: 'stages', size: 'large' })).toBe(422)
      const { items } = await send(server(), 'POST', `${TASKS}/bulk`, [
        { title: 'long' },
        { title: 'long', size: 'large' },
      ])
      expect(items).toHaveLength(1)
      expect(await instances(server(), 'workflow=long')).toMatchObject([
        { trigger: { recordId: items[0].id } },
      ])
    })

    it('W2: one write starts at most one instance; a record may have several under way', async () => {
      const { id } = await addTask(server(), { title: 'moved' })
      const two = { note: 'go', status: 'doing' }
      await send(server(), 'PATCH', `${TASKS}/${id}`, two)
      expect(await instances(server(), `workflow=any&recordId=${id}`)).toHaveLength(1)
      expect(await instances(server(), `workflow=moved&recordId=${id}`)).toHaveLength(1)
      await send(server(), 'PATCH', `${TASKS}/${id}`, { size: 2 })
      const all = await instances(server(), `workflow=any&recordId=${id}`)
      expect(all.map(({ status }) => status)).toEqual(['running', 'running'])
      await tick(server())
    })

    it('W2: a disabled workflow starts none, and its running ones go on', async () => {
      const path = '/api/v1/desk/workflows/any'
      const { id } = await addTask(server(), { note: 'go' })
      await send(server(), 'PATCH', `${TASKS}/${id}`, { size: 2 })
      await send(server(), 'PATCH', path, { enabled: false })
      await send(server(), 'PATCH', `${TASKS}/${id}`, { size: 3 })
      await tick(server())
      await pass(server(), 3601)
      const all = await instances(server(), `workflow=any&recordId=${id}`)
      expect(all.map(({ status }) => status)).toEqual(['completed'])
      await send(server(), 'PATCH', path, { enabled: true })
    })

    it('W13: running while something is to be done, waiting while every line rests, then completed', async () => {
      await addTask(server(), { title: 'stages' })
      const [found] = (await instances(server(), 'workflow=stages')).slice(-1)
      const now = () => send(server(), 'GET', `${INSTANCES}/${found.id}`)
      expect((await now()).status).toBe('running')
      await tick(server())
      expect(await now()).toMatchObject({
        status: 'waiting',
        steps: [
          { name: 'first', status: 'completed' },
          { name: 'rest', status: 'waiting' },
        ],
      })
      await pass(server(), 3601)
      expect(await now()).toMatchObject({
        status: 'completed',
        steps: [{ status: 'completed' }, { name: 'rest', status: 'timed_out' }, { status: 'completed' }],
      })
    })

    it('W13: failed, cancelled and timed out', async () => {
      await addTask(server(), { title: 'fails' })
      await addTask(server(), { title: 'long' })
      await tick(server())
      expect(await of('fails')).toMatchObject({
        status: 'failed',
        steps: [{ name: 'bad', status: 'failed' }],
      })
      const [left] = (await instances(server(), 'workflow=long')).slice(-1)
      await send(server(), 'POST', `${INSTANCES}/${left.id}/cancel`, {})
      await tick(server())
      expect(await send(server(), 'GET', `${INSTANCES}/${left.id}`)).toMatchObject({
        status: 'cancelled',
        steps: [{ name: 'rest', status: 'cancelled' }],
      })
      await addTask(server(), { title: 'long' })
      await tick(server())
      await pass(server(), 86_401)
      const [late] = (await instances(server(), 'workflow=long')).slice(-1)
      expect(late).toMatchObject({ status: 'timed_out', steps: [{ name: 'rest', status: 'cancelled' }, {}] })
    })
  })
}
