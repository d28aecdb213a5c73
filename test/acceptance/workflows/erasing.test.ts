import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestKernel, useTestKernel } from '../../kit/test-kernel.ts'
import { createProbing } from '../blocks/probe.ts'
import { addTask, desk, ENTRIES, instance, pass, QUIET, send, TASKS, tick } from './desk.ts'

const PEOPLE = '/api/v1/desk/people'

const WORKFLOWS = `
greet:
  trigger: { resource: Person, event: create }
  steps:
    write: { action: create, target: Entry, input: { text: 'hello {name}', task: $trigger.record.email } }
    sides:
      parallel:
        steps:
          say: { action: create, target: Entry, input: { text: '{name} again' } }
          none: { action: noop }
    note: { wait: { resource: Entry, event: update, filter: "text == concat('hello ', $trigger.record.name)", timeout: { duration: 1d, then: each } } }
    each:
      forEach:
        collection: $trigger.record.tags
        as: tag
        step: { wait: { timeout: { duration: 1h } } }
    finally: { action: create, target: Entry, input: { text: '{id} {$trigger.record.name} {name}' } }
watch:
  trigger: { resource: Task, event: create, condition: "title == 'watch'" }
  steps:
    touch: { action: update, target: Person, recordId: $trigger.record.note, input: { seen: 1 } }
    heard: { wait: { resource: Person, event: update, filter: id == $trigger.record.note, timeout: { duration: 1d, then: end } } }
    tags: { forEach: { collection: $steps.touch.result.tags, as: tag, step: { wait: { timeout: { duration: 1h } } } } }
    own: { forEach: { collection: $trigger.record.tags, as: word, step: { action: create, target: Entry, input: { text: $word } } } }
fails:
  trigger: { resource: Task, event: create, condition: "title == 'fails'" }
  steps:
    touch: { action: update, target: Person, recordId: $trigger.record.note, input: { seen: 2 } }
    same: { action: create, target: Person, input: { name: $steps.touch.result.name, email: $steps.touch.result.email } }
`

const definition = desk(WORKFLOWS).replace(
  '  workflows:',
  `    Person:
      probe: {}
      object:
        name: string
        email: { type: string, unique: true }
        seen: integer
        tags: json
      api: { path: people }
      permissions: *all
  workflows:`,
)

for (const store of STORES) {
  describe(`what workflows keep of an erased record on ${store.name}`, () => {
    const probing = createProbing()
    const server = useTestKernel({ store, config: QUIET, definition, plugins: [probing.plugin] })
    let people = 0
    const addPerson = async () => {
      people += 1
      const words = { name: `canary-${people}-name`, email: `canary-${people}@example.org` }
      return send(server(), 'POST', PEOPLE, { ...words, tags: [1, 2, 3].map((n) => `canary-${people}-${n}`) })
    }
    const erase = async (id: string) => {
      probing.probe = (data) =>
        data.write({ caller: SYSTEM }, async (writes) => {
          const resource = data.model.resources.get('Person')!
          const values = { name: null, email: null, tags: null }
          await writes.record({ kind: 'overwrite', resource, key: id, values })
          await data.erase(resource, [id], writes)
        })
      await send(server(), 'POST', `${PEOPLE}/probe`, {})
    }
    const traces = async (word: string) =>
      [...(await rowsKept(server().database))].flatMap(([table, rows]) =>
        /workflows|events/.test(table) && rows.includes(word) ? [table] : [],
      )

    it('P14: an instance about it stays, and nothing that it had met; it goes on with what is there', async () => {
      const { id, name } = await addPerson()
      await tick(server())
      const [entry] = (await send(server(), 'GET', `${ENTRIES}?filter[text]=hello ${name}`)).items
      await send(server(), 'PATCH', `${ENTRIES}/${entry.id}`, { size: 1 })
      await tick(server())
      const before = await instance(server(), `workflow=greet&recordId=${id}`)
      expect(before.waitingFor).toMatchObject([{ step: 'each.step' }])
      expect(JSON.stringify(before)).toContain(name)
      const of = name.replace('-name', '')
      expect(await traces(of)).not.toEqual([])
      await erase(id)
      await eraseEntries(server(), probing)
      expect(await traces(of)).toEqual([])
      const after = await instance(server(), `workflow=greet&recordId=${id}`)
      expect(after).toMatchObject({
        status: 'waiting',
        trigger: { recordId: id, record: null },
        steps: before.steps.map(({ name: step }: { name: string }) => ({ name: step, item: null })),
      })
      await pass(server(), 3601)
      const over = await instance(server(), `workflow=greet&recordId=${id}`)
      // The items that were still to come are passed over.
      expect(over.status).toBe('completed')
      expect(over.steps.filter((step: { name: string }) => step.name === 'each.step')).toHaveLength(1)
      expect(over.steps.at(-1).result.text.trim()).toBe(id)
      expect(await traces(of)).toEqual([])
    })

    it('P14: instances about others lose what they kept of it, and that alone', async () => {
      const [one, other] = [await addPerson(), await addPerson()]
      for (const { id } of [one, other])
        await addTask(server(), { title: 'watch', note: id, tags: ['mine-1', 'mine-2'] })
      await tick(server())
      for (const { id } of [one, other]) await send(server(), 'PATCH', `${PEOPLE}/${id}`, { seen: 5 })
      await tick(server())
      const of = (person: { name: string }) => person.name.replace('-name', '')
      expect(await traces(of(one))).not.toEqual([])
      const there = await traces(of(other))
      await erase(one.id)
      await eraseEntries(server(), probing)
      expect(await traces(of(one))).toEqual([])
      expect(await traces(of(other))).toEqual(there)
      const [first] = await watching(server(), one.id)
      expect(first.steps).toMatchObject([
        { name: 'touch', result: null },
        { name: 'heard', event: null },
        { name: 'tags' },
        { name: 'tags.step', item: null },
      ])
      expect(first.trigger.record).toMatchObject({ tags: ['mine-1', 'mine-2'] })
      await pass(server(), 3601)
      await pass(server(), 3601)
      await pass(server(), 3601)
      const results = (found: { steps: { name: string; item: unknown }[] }, name: string) =>
        found.steps.filter((step) => step.name === name).map(({ item }) => item)
      const [done] = await watching(server(), one.id)
      expect(done.status).toBe('completed')
      expect(results(done, 'tags.step')).toEqual([null])
      expect(results(done, 'own.step')).toEqual(['mine-1', 'mine-2'])
      const [untouched] = await watching(server(), other.id)
      expect(untouched.status).toBe('completed')
      expect(results(untouched, 'tags.step')).toHaveLength(3)
    })

    it('P14: an error says no more what was wrong with its values, and the instance can be set going', async () => {
      const person = await addPerson()
      await addTask(server(), { title: 'fails', note: person.id })
      await tick(server())
      const failed = await instance(server(), 'workflow=fails')
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'DUPLICATE', step: 'same' } })
      await erase(person.id)
      await eraseEntries(server(), probing)
      expect(await traces(person.name.replace('-name', ''))).toEqual([])
      const after = await instance(server(), 'workflow=fails')
      expect(after.error).toEqual({ code: 'DUPLICATE', step: 'same', message: '[erased]', handler: null })
      expect(after.steps.at(-1).error).toEqual({ code: 'DUPLICATE', message: '[erased]' })
      await send(server(), 'POST', `/api/v1/desk/workflows/instances/${after.id}/retry`, {})
      await tick(server())
      expect(await instance(server(), 'workflow=fails')).toMatchObject({ status: 'completed' })
    })

    it('P14: of a record that is gone for good nothing is left either', async () => {
      const person = await addPerson()
      await tick(server())
      await send(server(), 'DELETE', `${PEOPLE}/${person.id}`)
      const of = person.name.replace('-name', '')
      expect(await traces(of)).not.toEqual([])
      probing.probe = (data) =>
        data.write({ caller: SYSTEM }, (writes) =>
          data.erase(data.model.resources.get('Person')!, [person.id], writes),
        )
      await send(server(), 'POST', `${PEOPLE}/probe`, {})
      await eraseEntries(server(), probing)
      expect(await traces(of)).toEqual([])
    })

    it('P14: an erase that is undone has erased nothing', async () => {
      const person = await addPerson()
      await tick(server())
      const before = await instance(server(), `workflow=greet&recordId=${person.id}`)
      probing.probe = (data) =>
        data.write({ caller: SYSTEM }, async (writes) => {
          await data.erase(data.model.resources.get('Person')!, [person.id], writes)
          throw new Error('no')
        })
      const { status } = await server().request('POST', `${PEOPLE}/probe`, {
        token: server().admin,
        body: {},
      })
      expect(status).toBe(500)
      expect(await instance(server(), `workflow=greet&recordId=${person.id}`)).toEqual(before)
    })
  })
}

/** What was written of people is theirs to erase, too: entries of the book are records of their own. */
const eraseEntries = async (server: TestKernel, probing: ReturnType<typeof createProbing>) => {
  probing.probe = (data) =>
    data.write({ caller: SYSTEM }, async (writes) => {
      const resource = data.model.resources.get('Entry')!
      const { table, columns } = resource
      const rows = await data.reader.select({ table, columns, where: { op: 'always' }, order: [] })
      await data.erase(
        resource,
        rows.map(({ id }) => String(id)),
        writes,
      )
    })
  await send(server, 'POST', `${PEOPLE}/probe`, {})
}

async function watching(server: TestKernel, person: string) {
  const { items } = await send(server, 'GET', `${TASKS}?filter[note]=${person}`)
  const task = items.find(({ title }: { title: string }) => title === 'watch')
  return [await instance(server, `workflow=watch&recordId=${task.id}`)]
}
