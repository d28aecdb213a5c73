import type { Plugin } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const TRACER = new URL('../../fixtures/third-party-plugin/tracer.js', import.meta.url).href
const { plugin: tracer } = (await import(TRACER)) as { readonly plugin: Plugin }

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const RELATED = ['visits', 'samples', 'calls', 'posts'] as const
type Related = (typeof RELATED)[number]

const HOUSE = `
domain:
  name: house
  version: '1'
  resources:
    House:
      object: { title: string }
      relationships:
        visits: { type: hasMany, target: Visit, foreignKey: houseId }
        samples: { type: hasMany, target: Sample, foreignKey: houseId }
        calls: { type: hasMany, target: Call, foreignKey: houseId }
        posts: { type: hasMany, target: Post, foreignKey: houseId }
      permissions: ${OPEN}
    Person:
      object:
        email: { type: email, privacy: { subjectIdentifier: true } }
        phone: { type: string, privacy: { subjectIdentifier: true } }
      permissions: ${OPEN}
    Visit:
      object: { note: string }
      relationships: { person: { type: belongsTo, target: Person }, house: { type: belongsTo, target: House } }
      permissions: ${OPEN}
    Sample:
      object: { note: string }
      relationships: { visit: { type: belongsTo, target: Visit }, house: { type: belongsTo, target: House } }
      permissions: ${OPEN}
    Call:
      object: { phone: { type: string, privacy: { subjectIdentifier: true } } }
      relationships: { house: { type: belongsTo, target: House } }
      permissions: ${OPEN}
    Post:
      object: { note: string }
      relationships: { house: { type: belongsTo, target: House } }
      permissions: ${OPEN}
  rules:
${RELATED.map(
  (related) => `
    ${related}:
      trigger: { resource: House, on: update, condition: title == '${related}' }
      condition: title != null
      action: log
      message: Told
      notification: { channels: [log], template: { subject: Told, body: '{count(${related})}' } }
`,
).join('')}
  privacy:
    permissions: [admin]
    subjectIdentifier: { primary: email, alternates: [phone] }
    consent: [{ purpose: news, resources: [Visit, Sample, Call] }]
`

const [FEW, MANY] = [5, 50]

for (const store of STORES)
  describe(`consents to related records on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: HOUSE,
      plugins: [tracer],
      config: { jobs: { enabled: false } },
    })
    const done = async (method: string, path: string, body?: unknown) => {
      const answer = await server().request(method, `/api/v1/house/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body?.data
    }
    /** Every house by the number of records that it has of each kind, each record of another person. */
    const houses = new Map<number, string>()
    const emailOf = (at: number) => `person${at}@example.org`
    const phoneOf = (at: number) => `0301-${String(at).padStart(4, '0')}`
    const grant = (at: number) =>
      done('POST', `privacy/subject/${emailOf(at)}/consent/grant`, { purpose: 'news' })

    beforeAll(async () => {
      const people: string[] = []
      for (let at = 0; at < MANY; at += 1) {
        const { id } = await done('POST', 'people', { email: emailOf(at), phone: phoneOf(at) })
        people.push(id)
        await grant(at)
      }
      for (const size of [FEW, MANY]) {
        const { id: houseId } = await done('POST', 'houses', { title: 'a house' })
        houses.set(size, houseId)
        for (const [at, personId] of people.slice(0, size).entries()) {
          const { id: visitId } = await done('POST', 'visits', { houseId, personId })
          await done('POST', 'samples', { houseId, visitId })
          await done('POST', 'calls', { houseId, phone: phoneOf(at) })
          await done('POST', 'posts', { houseId })
        }
      }
      for (let at = 0; at < MANY; at += 2)
        await done('POST', `privacy/subject/${emailOf(at)}/consent/withdraw`, {
          purpose: 'news',
          reason: 'x',
        })
    }, 120_000)

    /** What a write tells of related records, and the tables of the domain that it asks for that, statement by statement. */
    const told = async (size: number, title: Related) => {
      const { log } = server()
      const { length } = log
      await done('PATCH', `houses/${houses.get(size)}`, { title })
      const tables = log
        .slice(length)
        .filter(({ event, fields }) => event === 'span.ended' && fields['name'] === 'statement')
        .map(({ fields }) => Object(fields['facts']))
        .filter(({ operation }) => operation === 'select')
        .map(({ table }) => String(table))
        // What the server looks for by itself is looked for when its time comes.
        .filter((table) => table.startsWith('house_'))
      const [{ body }] = (await done('GET', 'notifications?limit=1')).items
      return { text: body, tables }
    }

    it.each(['visits', 'samples', 'calls'] as const)(
      'P22: are looked for by as many statements however many there are: %s',
      async (related) => {
        // The first write of a server asks who hears of writes.
        await told(FEW, related)
        const [few, many] = [await told(FEW, related), await told(MANY, related)]
        expect([few.text, many.text]).toEqual(['2', '25'])
        expect(many.tables).toEqual(few.tables)
        expect(many.tables.length).toBeLessThan(MANY / 2)
      },
    )

    it('P22: are read again where they may be passed over alone', async () => {
      const [visits, posts] = [await told(MANY, 'visits'), await told(MANY, 'posts')]
      expect(posts.text).toBe(String(MANY))
      const reads = ({ tables }: typeof posts, name: string) =>
        tables.filter((table) => table === name).length
      expect(reads(visits, 'house_visit')).toBe(2 * reads(posts, 'house_post'))
    })
  })
