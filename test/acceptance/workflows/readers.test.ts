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
  QUIET,
  send,
  texts,
  tick,
  WORKFLOWS as PATH,
} from './desk.ts'

const on = (title: string) => `trigger: { resource: Task, event: create, condition: "title == '${title}'" }`

const WORKFLOWS = `
told:
  ${on('told')}
  steps:
    write: { action: create, target: Entry, input: { text: '{title} of {$trigger.actor.username}, {$workflow.name}: {{x}}', size: $(size * 2) } }
    go: { forEach: { collection: $trigger.record.tags, as: tag, step: { action: create, target: Entry, input: { text: '{$tag}-{$item}' } } } }
secret:
  trigger: { resource: Safe, event: create }
  steps:
    change: { action: update, input: { label: changed } }
hand: { steps: { a: { action: noop } } }
given: { trigger: { resource: Safe }, steps: { a: { action: noop } } }
hooked:
  description: 'signs with \${SVC_DOMAIN_SIGNING}'
  ${on('hooked')}
  steps:
    both:
      parallel:
        steps:
          tell: { action: notify, notification: &hook { channels: [{ type: webhook, url: 'https://hooks.example.org/x?key=in-query', secret: '\${SVC_DOMAIN_SIGNING}', headers: { x-key: in-header } }], template: { body: told } } }
          rest: { wait: { resource: Task, event: update, filter: "note == '\${SVC_DOMAIN_SIGNING}'", timeout: { duration: 1h, then: end } } }
  onError: { action: notify, notification: *hook }
`

const SCHEDULES = `
  schedules:
    opened: { recurrence: yearly on March 1, source: &safes { resource: Safe }, action: workflow, target: given, input: { what: $record.label } }
    closed: { recurrence: yearly on March 1, source: *safes, action: workflow, target: given, input: { what: "$(concat('It is ', code))" } }
`

const definition = `${desk(WORKFLOWS)}${SCHEDULES}`.replace(
  '  workflows:',
  `    Safe:
      object:
        label: string
        code: { type: string, hidden: true }
      permissions: { create: ['*'], list: ['*'], get: ['*'], update: ['*'] }
  workflows:`,
)

process.env['SVC_DOMAIN_SIGNING'] = 'unspoken-0123456789-0123456789'

for (const store of STORES) {
  describe(`what readers of workflows see on ${store.name}`, () => {
    const server = useTestKernel({ store, config: QUIET, definition })

    it('A5: texts among values are filled with what steps may name', async () => {
      await addTask(server(), { title: 'told', size: 4, tags: ['a', 'b'] })
      await tick(server())
      expect(await instance(server(), 'workflow=told')).toMatchObject({ status: 'completed' })
      expect(await texts(server())).toEqual(['told of admin, told: {x}', 'a-a', 'b-b'])
      expect((await send(server(), 'GET', `${ENTRIES}?filter[size]=8`)).items).toHaveLength(1)
    })

    it('A6: an instance shows of records what an answer would', async () => {
      await send(server(), 'POST', '/api/v1/desk/safes', { label: 'one', code: 'c0de' })
      await tick(server())
      const found = await instance(server(), 'workflow=secret')
      expect(found).toMatchObject({
        status: 'completed',
        trigger: { record: { label: 'one' } },
        steps: [{ result: { label: 'changed' } }],
      })
      expect(JSON.stringify(found)).not.toContain('c0de')
    })

    it('A6: an instance shows of its input what its reader may read', async () => {
      const inputOf = async (schedule: string) => {
        await send(server(), 'POST', `/api/v1/desk/schedules/${schedule}/run`, {})
        await tick(server())
        return (await instances(server(), 'workflow=given')).at(-1).trigger.input
      }
      expect(await inputOf('opened')).toEqual({ what: 'changed' })
      expect(await inputOf('closed')).toBeNull()
    })

    it('N8: workflows and their waits tell variables as they are written, and of a channel its place', async () => {
      const shown = await send(server(), 'GET', `${PATH}/hooked`)
      const hook = {
        channels: [{ type: 'webhook', url: 'https://hooks.example.org/x' }],
        template: { body: 'told' },
      }
      expect(shown).toMatchObject({
        description: 'signs with ${SVC_DOMAIN_SIGNING}',
        steps: { both: { parallel: { steps: { tell: { notification: hook } } } } },
        onError: { notification: hook },
      })
      await addTask(server(), { title: 'hooked' })
      await tick(server())
      const found = await instance(server(), 'workflow=hooked')
      expect(found.waitingFor).toMatchObject([{ filter: "note == '${SVC_DOMAIN_SIGNING}'" }])
      expect(JSON.stringify([shown, found])).not.toMatch(/unspoken|in-query|in-header/)
    })

    it('A11: a request that is sent again with its key starts nothing twice', async () => {
      const { request, admin: token } = server()
      const headers = { 'idempotency-key': 'once' }
      const start = () => request('POST', `${PATH}/hand/instances`, { token, headers, body: {} })
      const [first, second] = [await start(), await start()]
      expect([first.status, second.status]).toEqual([201, 201])
      expect(second.body.data.id).toBe(first.body.data.id)
      expect((await send(server(), 'GET', `${INSTANCES}?workflow=hand`)).items).toHaveLength(1)
    })
  })
}
