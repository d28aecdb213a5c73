import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { createProbing } from '../blocks/probe.ts'
import { deskOf, OPEN } from './desk.ts'

const DEFINITION = `
domain:
  name: clinic
  version: '1.0.0'
  resources:
    Owner:
      object: { name: string, phone: string }
      permissions:
        list: ['*']
        get: ['*']
        create: ['*']
        update: ['*']
        delete: ['*']
        fields: { phone: { read: [vet] } }
    Animal:
      object:
        name: string
        weight: decimal
        diagnosis: string
        pin: { type: string, hidden: true }
        grave: { type: boolean, computed: diagnosis == 'rabies' }
        tags: { type: array, items: string }
      history: { events: { made: { on: create, label: made } } }
      relationships:
        owner: { type: belongsTo, target: Owner }
        visits: { type: hasMany, target: Visit, foreignKey: animalId }
      permissions:
        list: ['*']
        get: ['*']
        create: ['*']
        update: ['*']
        delete: ['*']
        fields: { diagnosis: { read: [vet] } }
    Visit:
      probe: {}
      object: { day: date }
      relationships: { animal: { type: belongsTo, target: Animal } }
      permissions: ${OPEN}
  rules:
    grave:
      trigger: { resource: Animal, on: [create, update] }
      condition: grave
      action: reject
      message:
        en: '{name|upper} has {diagnosis}{#if diagnosis == null} or so{/if}, pin {pin}, of {owner.name} ({owner.phone}); {grave}; {what}'
        de: '{name} hat {diagnosis}, von {owner.name}'
      messageData:
        what: $record.diagnosis
        open: $record.name
        weight: $(weight * 2)
        mixed: 'of {name} and {diagnosis}'
        literal: $$5
        list: [1, $record.weight]
        phone: $(owner.phone)
    heavy:
      trigger: { resource: Animal, on: [create, update] }
      condition: weight > 50
      action: warn
      message: '{name}: {diagnosis} ({user.name}) {tags}{#each tags as tag} <{tag}>{/each} \\{x}'
      history: true
`

for (const store of STORES) {
  describe(`the words of rules on ${store.name}`, () => {
    const probing = createProbing()
    const server = useTestKernel({ store, plugins: [probing.plugin], definition: DEFINITION })
    const desk = deskOf(server, 'clinic')
    const owner = async () => {
      const { body } = await desk.send('POST', '/owners', { name: 'Ann', phone: '123' })
      return body.data.id as string
    }
    const sick = async () => ({
      name: 'rex',
      diagnosis: 'rabies',
      weight: 4,
      pin: '77',
      ownerId: await owner(),
    })

    it('A6: a message tells its reader what an answer would, and the rest is empty', async () => {
      const { body } = await desk.send('POST', '/animals', await sick())
      expect(body.error_message).toBe('REX has , pin , of Ann (); ; ')
      expect(body.data.messageData).toEqual({
        open: 'rex',
        weight: 8,
        mixed: 'of rex and ',
        literal: '$5',
        list: [1, 4],
      })
      const { token } = await server().account(`vet-${store.name}`, ['vet'])
      const told = (await desk.send('POST', '/animals', await sick(), token)).body
      expect(told.error_message).toBe('REX has rabies, pin , of Ann (123); true; rabies')
      expect(told.data.messageData).toMatchObject({ what: 'rabies', phone: '123' })
    })

    it('A5: what a text was filled with is never read as a text', async () => {
      const values = { name: '{diagnosis} $record.pin {#if true}x{/if}', weight: 60, tags: ['{name}', 'b'] }
      const { body } = await desk.send('POST', '/animals', { ...values, diagnosis: 'cough' })
      expect(body.warnings[0].message).toBe(
        '{diagnosis} $record.pin {#if true}x{/if}:  () {name}, b <{name}> <b> {x}',
      )
    })

    it('A6: the log tells each reader anew, in the language of that reader', async () => {
      await desk.send('POST', '/animals', await sick())
      const { token } = await server().account(`chief-${store.name}`, ['admin', 'vet'])
      const newest = async (token: string, language = 'en') => {
        const path = '/api/v1/clinic/rules/log?rule=grave&limit=1'
        const { body } = await server().request('GET', path, {
          token,
          headers: { 'accept-language': language },
        })
        return body.data.items[0]
      }
      const plain = await newest(server().admin)
      expect([plain.message, plain.messageData.what]).toEqual(['REX has , pin , of Ann (); ; ', undefined])
      const whole = await newest(token)
      expect(whole.message).toBe('REX has rabies, pin , of Ann (123); true; rabies')
      expect(whole.messageData).toMatchObject({ what: 'rabies', mixed: 'of rex and rabies' })
      expect((await newest(token, 'de')).message).toBe('rex hat rabies, von Ann')
    })

    it('A6: so does the timeline', async () => {
      const { token } = await server().account(`vet2-${store.name}`, ['vet'])
      const animal = { name: 'Bo', weight: 60, diagnosis: 'cough', tags: [] }
      const { body } = await desk.send('POST', '/animals', animal, token)
      const label = async (token?: string) => {
        const path = `/animals/${body.data.id}/history?event=rule.heavy`
        return (await desk.send('GET', path, undefined, token)).body.data.items[0].label
      }
      expect(await label()).toBe(`Bo:  (vet2-${store.name})  {x}`)
      expect(await label(token)).toBe(`Bo: cough (vet2-${store.name})  {x}`)
    })

    it('[10] of a record can be erased, and leave the entry', async () => {
      const { body } = await desk.send('POST', '/animals', { name: 'Gone', weight: 60 })
      const key = body.data.id as string
      probing.probe = (data) =>
        data.write({ caller: SYSTEM }, (writes) =>
          data.erase(data.model.resources.get('Animal')!, [key], writes),
        )
      expect((await desk.send('POST', '/visits/probe', {})).status).toBe(200)
      const [entry] = await desk.log(`&recordId=${key}`)
      expect(entry).toMatchObject({ rule: 'heavy', outcome: 'warned', message: '', messageData: {} })
      const timeline = await desk.send('GET', `/animals/${key}/history?event=rule.heavy`)
      expect(timeline.body.data.items).toEqual([])
    })

    it('A5: the words of the record are those of then, whatever becomes of it', async () => {
      const { token } = await server().account(`chief2-${store.name}`, ['admin', 'vet'])
      const { body } = await desk.send('POST', '/animals', { name: 'Old', weight: 60, diagnosis: 'a' }, token)
      await desk.send('PATCH', `/animals/${body.data.id}`, { name: 'New', weight: 1 })
      const log = await desk.send('GET', '/rules/log?rule=heavy&limit=1', undefined, token)
      expect(log.body.data.items[0].message).toContain('Old: a')
    })
  })
}

describe('the words of rules', () => {
  const server = useTestKernel({ store: STORES[0]!, plugins: [createProbing().plugin] })

  it('A5: a name that nothing has is PARSE_ERROR, in each language and each value', async () => {
    const content = DEFINITION.replace('{name} hat', '{nam} hat').replace('$$5', "'{nothing}'")
    const { status, body } = await server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content },
    })
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    const told = body.errors.map(
      ({ path, message }: { path: string; message: string }) => `${path}: ${message}`,
    )
    expect(told.join('\n')).toMatch(/rules\.grave\.message\.de.*nam/)
    expect(told.join('\n')).toMatch(/rules\.grave\.messageData\.literal.*nothing/)
  })
})
