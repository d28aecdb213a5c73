import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { desk, instance, pass, QUIET, send, texts, tick } from './desk.ts'

const on = (kind: string) => `trigger: { resource: Visit, event: create, condition: "kind == '${kind}'" }`
const write = (text: string) => `{ action: create, target: Entry, input: { text: "${text}" }, then: end }`

const WORKFLOWS = `
values:
  ${on('values')}
  steps:
    write: { action: create, target: Entry, input: { text: 'for {animal.owner.name}', task: $(animal.owner.name), size: $(count(animal.visits)) } }
decides:
  ${on('decides')}
  steps:
    which: { decide: [{ condition: "animal.owner.name == 'Ann'", then: ann }, { default: true, then: other }] }
    ann: ${write("Ann's {animal.name}")}
    other: ${write("{animal.owner.name}'s {animal.name}")}
begun:
  trigger: { resource: Visit, event: create, condition: "animal.owner.name == 'Cid'" }
  steps:
    a: ${write('begun')}
filters:
  ${on('filters')}
  steps:
    paid: { wait: { resource: Visit, event: update, filter: "animal.owner.name == 'Ann' and kind != 'filters'", timeout: { duration: 1d, then: end } } }
    said: ${write('paid by {$event.record.kind}')}
conditions:
  ${on('conditions')}
  steps:
    paid:
      wait: { resource: Visit, event: update, filter: id == $trigger.record.id, timeout: { duration: 1d, then: end } }
      condition: animal.owner.name == 'Ann'
      then: ann
      else: other
    ann: ${write('Ann')}
    other: ${write('somebody else')}
items:
  ${on('items')}
  steps:
    each:
      forEach:
        collection: { resource: Visit, filter: "animal.owner.name == $trigger.input.owner and animal.owner.name != null" }
        as: visit
        step: { action: create, target: Entry, input: { text: "{kind} of {animal.name} and {$visit.kind}" } }
lists:
  ${on('lists')}
  steps:
    each: { forEach: { collection: "[animal.name, animal.owner.name]", as: word, step: { action: create, target: Entry, input: { text: $word } } } }
`

const definition = desk(WORKFLOWS).replace(
  '  workflows:',
  `    Owner: { object: { name: string }, permissions: *all }
    Animal:
      object: { name: string }
      relationships:
        owner: { type: belongsTo, target: Owner }
        visits: { type: hasMany, target: Visit, foreignKey: animalId }
      permissions: *all
    Visit:
      object: { kind: string, paid: boolean }
      relationships: { animal: { type: belongsTo, target: Animal } }
      permissions: *all
  workflows:`,
)
const BASE = '/api/v1/desk'

for (const store of STORES) {
  describe(`workflows that reach along relationships on ${store.name}`, () => {
    const server = useTestKernel({ store, config: QUIET, definition })
    const animals: Record<string, Promise<string>> = {}
    const addAnimal = async (owner: string) => {
      const { id: ownerId } = await send(server(), 'POST', `${BASE}/owners`, { name: owner })
      const { id } = await send(server(), 'POST', `${BASE}/animals`, { name: `${owner}-rex`, ownerId })
      return id as string
    }
    const visit = async (owner: string, kind: string) => {
      const animalId = await (animals[owner] ??= addAnimal(owner))
      return send(server(), 'POST', `${BASE}/visits`, { kind, animalId })
    }
    /** What was written into the book since the last time. */
    let told = 0
    const news = async () => {
      await tick(server())
      const all = await texts(server())
      const added = all.slice(told)
      told = all.length
      return added
    }

    it('A4, A5: values and texts of a step', async () => {
      await visit('Ann', 'values')
      expect(await news()).toEqual(['for Ann'])
      const { items } = await send(server(), 'GET', `${BASE}/entries?filter[text]=for Ann`)
      expect(items).toMatchObject([{ task: 'Ann', size: 1 }])
    })

    it('W1: the condition of a trigger', async () => {
      await visit('Cid', 'nothing')
      await visit('Ann', 'nothing')
      expect(await news()).toEqual(['begun'])
    })

    it('W8: conditions of a decide', async () => {
      await visit('Ann', 'decides')
      await visit('Bob', 'decides')
      expect(await news()).toEqual(["Ann's Ann-rex", "Bob's Bob-rex"])
    })

    it('W6: the filter of a wait', async () => {
      const bobs = await visit('Bob', 'of Bob')
      const anns = await visit('Ann', 'of Ann')
      await visit('Ann', 'filters')
      await tick(server())
      await send(server(), 'PATCH', `${BASE}/visits/${bobs.id}`, { paid: true })
      expect(await news()).toEqual([])
      await send(server(), 'PATCH', `${BASE}/visits/${anns.id}`, { paid: true })
      expect(await news()).toEqual(['paid by of Ann'])
    })

    it('W6: the condition of a wait', async () => {
      for (const owner of ['Ann', 'Bob']) {
        const { id } = await visit(owner, 'conditions')
        await tick(server())
        await send(server(), 'PATCH', `${BASE}/visits/${id}`, { paid: true })
        expect(await news()).toEqual([owner === 'Ann' ? 'Ann' : 'somebody else'])
      }
    })

    it('W10: the records and the items of a forEach, with what each belongs to', async () => {
      const dans = [await visit('Dan', 'one'), await visit('Dan', 'two')]
      const { id: recordId } = await visit('Eve', 'nothing')
      const input = { owner: 'Dan' }
      await send(server(), 'POST', `${BASE}/workflows/items/instances`, { recordId, input })
      expect((await news()).toSorted()).toEqual(['one of Dan-rex and one', 'two of Dan-rex and two'])
      const { steps } = await instance(server(), 'workflow=items')
      const keys = steps.flatMap(({ item }: { item: unknown }) => item ?? []).toSorted()
      expect(keys).toEqual(dans.map(({ id }) => id).toSorted())
    })

    it('W10: the list of a forEach', async () => {
      await visit('Ann', 'lists')
      expect(await news()).toEqual(['Ann-rex', 'Ann'])
      await pass(server(), 1)
    })
  })
}
