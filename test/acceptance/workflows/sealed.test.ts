import type { Plugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { everythingKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { addTask, desk, instance, INSTANCES, pass, QUIET, send, texts, tick } from './desk.ts'

const VAULT = new URL('../../fixtures/third-party-plugin/vault.js', import.meta.url).href
const { plugin }: { readonly plugin: Plugin } = await import(VAULT)
const config = { ...QUIET, vault: { key: Buffer.alloc(32, 7).toString('base64') } }

const WORKFLOWS = `
walk:
  trigger: { resource: Safe, event: create }
  steps:
    write: { action: update, input: { seen: true } }
    each:
      forEach:
        collection: $trigger.record.words
        as: word
        step: { action: create, target: Safe, input: { label: inner, code: $word } }
    check: { decide: [{ condition: "$steps.write.result.code == $trigger.record.code", then: heard }, { default: true, then: end }] }
    heard:
      wait: { resource: Safe, event: update, filter: "id == $trigger.record.id and code == concat(label, '-two')", timeout: { duration: 1d, then: end } }
    last: { action: create, target: Entry, input: { text: of hearing, size: $(length($event.record.code)) } }
fails:
  trigger: { resource: Task, event: create, condition: "title == 'fails'" }
  steps:
    rest: { wait: { timeout: { duration: 1h } } }
    strange: { action: create, target: Safe, input: { label: $trigger.input.label, code: $trigger.input.code, tries: $trigger.input.tries } }
`

const definition = (version = '1', code = 'secret', workflows = WORKFLOWS) =>
  desk(workflows, version)
    .replace('event: create }', `event: create, condition: "label == 'canary-label'" }`)
    .replace(
      '  workflows:',
      `    Safe:
      object:
        label: string
        code: ${code}
        words: ${code === 'secret' ? 'dossier' : 'json'}
        seen: boolean
        tries: integer
      permissions: *all
      validation:
        few: { expression: tries == null or tries < 3, message: '{code} was tried too often' }
  workflows:`,
    )
const SAFES = '/api/v1/desk/safes'
const SAFE = { label: 'canary-label', code: 'canary-code', words: ['canary-a', 'canary-b'] }

for (const store of STORES) {
  describe(`workflows of sealed values on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [plugin], config, definition: definition() })
    const kept = async () => [
      ...new Set((await everythingKept(server().database)).match(/canary-(?!label)[\w-]+/gi)),
    ]

    it('W14: stand in the clear nowhere at rest, and are shown as they are', async () => {
      const { id } = await send(server(), 'POST', SAFES, SAFE)
      await tick(server())
      const found = await instance(server(), `workflow=walk&recordId=${id}`)
      expect(found.trigger.record).toMatchObject(SAFE)
      expect(found.steps.map(({ name }: { name: string }) => name)).toEqual([
        'write',
        'each',
        'each.step',
        'each.step',
        'check',
        'heard',
      ])
      expect(found.steps).toMatchObject([
        { result: SAFE },
        { result: [{ code: 'canary-a' }, { code: 'canary-b' }] },
        { item: 'canary-a', result: { code: 'canary-a' } },
        { item: 'canary-b' },
        {},
        { status: 'waiting' },
      ])
      expect(await kept()).toEqual([])
    })

    it('W6: a wait is ended by what is sealed, and its event is sealed as well', async () => {
      const walk = await instance(server(), 'workflow=walk')
      await send(server(), 'PATCH', `${SAFES}/${walk.trigger.recordId}`, { code: 'canary-other' })
      await tick(server())
      expect(await instance(server(), 'workflow=walk')).toMatchObject({ status: 'waiting' })
      await send(server(), 'PATCH', `${SAFES}/${walk.trigger.recordId}`, { code: 'canary-label-two' })
      await tick(server())
      const over = await instance(server(), 'workflow=walk')
      expect(over.status).toBe('completed')
      expect(over.steps.find(({ name }: { name: string }) => name === 'heard').event).toMatchObject({
        record: { code: 'canary-label-two' },
        previous: { code: 'canary-other' },
      })
      expect(await texts(server())).toEqual(['of hearing'])
      expect(await kept()).toEqual([])
    })

    it('W3, W12: instances of texts that were exchanged go on with them, and so does a retry', async () => {
      const input = { label: 'inner', code: 'canary-input', tries: 5 }
      const task = await addTask(server(), { title: 'by hand' })
      const started = await send(server(), 'POST', `/api/v1/desk/workflows/fails/instances`, {
        recordId: task.id,
        input,
      })
      await tick(server())
      const next = WORKFLOWS.replace('duration: 1h', 'duration: 2h')
      await server().submit(definition('2', 'secret', next))
      await pass(server(), 3601)
      const failed = await send(server(), 'GET', `${INSTANCES}/${started.id}`)
      expect(failed).toMatchObject({ version: 1, status: 'failed', trigger: { input } })
      expect(await kept()).toEqual([])
      await send(server(), 'POST', `${INSTANCES}/${started.id}/retry`, {})
      await tick(server())
      const again = await send(server(), 'GET', `${INSTANCES}/${started.id}`)
      expect(again.steps).toHaveLength(3)
      expect(again.steps[2]).toMatchObject({ status: 'failed', attempt: 2 })
      expect(await kept()).toEqual([])
    })

    it('W12: a record that is gone is sealed as it last was', async () => {
      const { id } = await send(server(), 'POST', SAFES, SAFE)
      await tick(server())
      await send(server(), 'DELETE', `${SAFES}/${id}`)
      const found = await instance(server(), `workflow=walk&recordId=${id}`)
      expect(found).toMatchObject({ status: 'waiting', trigger: { record: SAFE } })
      expect(await kept()).toEqual([])
    })

    it('W3, E6: where a definition seals nothing any more, what was sealed is told on as all else is', async () => {
      const { id } = await send(server(), 'POST', SAFES, SAFE)
      await tick(server())
      await server().submit(definition('3', 'string'), { allow_destructive: true })
      const found = await instance(server(), `workflow=walk&recordId=${id}`)
      expect(found).toMatchObject({ status: 'waiting', trigger: { recordId: id, record: SAFE } })
      await pass(server(), 86_401)
      expect(await instance(server(), `workflow=walk&recordId=${id}`)).toMatchObject({ status: 'completed' })
    })
  })
}
