import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { addTask, desk, instance, instances, INSTANCES, QUIET, send, TASKS, texts, tick } from './desk.ts'

const on = (title: string) => `trigger: { resource: Task, event: create, condition: "title == '${title}'" }`
const entry = (text: string) => `{ action: create, target: Entry, input: { text: ${text} } }`

const WORKFLOWS = `
stuck:
  ${on('stuck')}
  steps:
    before: ${entry('before')}
    finish: { action: transition, transition: finish }
    after: ${entry('after')}
walk:
  ${on('walk')}
  steps: { ${Array.from({ length: 12 }, (_, at) => `s${at}: ${entry('$record.id')}`).join(', ')} }
fan:
  ${on('fan')}
  steps:
    go: { parallel: { steps: { ${Array.from({ length: 12 }, (_, at) => `b${at}: { action: update, input: { size: '$(size + 1)' } }`).join(', ')} } } }
    after: ${entry('joined')}
`

for (const store of STORES) {
  describe(`races of workflows on ${store.name}`, () => {
    const config = { ...QUIET, jobs: { enabled: false, workers: 8 } }
    const server = useTestKernel({ store, config, definition: desk(WORKFLOWS) })

    it('W12: of twenty retries at once one sets the instance going, and what follows happens once', async () => {
      const task = await addTask(server(), { title: 'stuck' })
      await tick(server())
      const { id } = await instance(server())
      await send(server(), 'POST', `${TASKS}/${task.id}/transitions/begin`, {})
      const { request, admin: token } = server()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => request('POST', `${INSTANCES}/${id}/retry`, { token, body: {} })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([
        200,
        ...Array.from({ length: 19 }, () => 409),
      ])
      await tick(server())
      expect(await send(server(), 'GET', `${INSTANCES}/${id}`)).toMatchObject({ status: 'completed' })
      expect(await texts(server())).toEqual(['before', 'after'])
    })

    it('W12: a cancel that races steps lets one in flight finish, and no other begins', async () => {
      for (let round = 0; round < 5; round += 1) {
        const task = await addTask(server(), { title: 'walk' })
        const [{ id }] = await instances(server(), `recordId=${task.id}`)
        const { request, admin: token } = server()
        const ticking = tick(server())
        const answer = await request('POST', `${INSTANCES}/${id}/cancel`, { token, body: {} })
        await ticking
        const found = await send(server(), 'GET', `${INSTANCES}/${id}`)
        expect(found.status).toBe(answer.status === 200 ? 'cancelled' : 'completed')
        if (answer.status === 200) expect(found.steps).toHaveLength(answer.body.data.steps.length)
        const written = (await texts(server())).filter((text) => text === task.id)
        expect(written).toHaveLength(found.steps.length)
      }
    })

    it('W9: branches that end side by side join once', async () => {
      const task = await addTask(server(), { title: 'fan', size: 0 })
      await tick(server())
      expect(await instance(server(), `recordId=${task.id}`)).toMatchObject({ status: 'completed' })
      expect(await send(server(), 'GET', `${TASKS}/${task.id}`)).toMatchObject({ size: 12 })
      expect((await texts(server())).filter((text) => text === 'joined')).toHaveLength(1)
    })
  })
}
