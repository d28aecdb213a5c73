import { SYSTEM } from '@svc/kernel'
import { expect, it, describe } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const BASE = '/api/v1/club'
const club = (name: string, more: object = {}) =>
  JSON.stringify({
    domain: {
      name: 'club',
      version: '1',
      privacy: { subjectIdentifier: { primary: 'email' } },
      resources: {
        [name]: {
          object: {
            name: { type: 'string', privacy: { pii: true } },
            email: { type: 'email', privacy: { pii: true } },
          },
          permissions: { list: ['admin'], get: ['admin'], create: ['admin'] },
          ...more,
        },
      },
      rules: {
        noted: {
          trigger: { resource: name, on: ['create'] },
          condition: "name != ''",
          action: 'log',
          message: 'Of {name}',
        },
      },
      workflows: {
        greet: {
          trigger: { resource: name, event: 'create' },
          steps: {
            tell: {
              action: 'notify',
              notification: { channels: ['log'], template: { subject: 'For {name}', body: 'Hello' } },
            },
          },
        },
      },
      templates: {
        card: {
          format: 'markdown',
          permissions: { generate: ['admin'] },
          data: { it: { record: name } },
          filename: 'Card {name}',
          body: 'Hello {name}',
        },
      },
    },
  })

for (const store of STORES) {
  describe(`what is kept about a resource that is renamed on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: club('Member'), config: { jobs: { enabled: false } } })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const made = async (path: string, word: string) => {
      const values = { name: word, email: `${word}@example.org` }
      const { id } = (await send('POST', `${BASE}/${path}`, values)).body.data
      await server().kernel.callAs(SYSTEM)('jobs.tick', {})
      expect((await send('POST', `${BASE}/templates/card/generate`, { recordId: id })).status).toBe(201)
    }
    const documents = async (resource: string) =>
      (await send('GET', `${BASE}/documents?resource=${resource}`)).body.data.items.length
    const erase = async (word: string) => {
      const path = `${BASE}/privacy/subject/${word}@example.org/erase`
      expect((await send('POST', path, { reason: 'asked', method: 'delete' })).status).toBe(200)
      return [...(await rowsKept(server().database))].filter(([, rows]) => rows.includes(word))
    }

    it('is found and erased by its new name, and by the old one when that comes back (ruling P14)', async () => {
      await made('members', 'aldous')
      await made('members', 'brecht')
      await server().submit(club('Guest', { renamedFrom: 'Member' }))
      expect([await documents('Member'), await documents('Guest')]).toEqual([0, 2])
      expect(await erase('aldous')).toEqual([])

      await made('guests', 'camus')
      expect((await send('POST', '/api/v1/domains/club/rollback', {})).status).toBe(200)
      expect([await documents('Member'), await documents('Guest')]).toEqual([2, 0])
      for (const word of ['brecht', 'camus']) expect(await erase(word)).toEqual([])
      expect(await documents('Member')).toBe(0)
    })
  })
}

const person = (version: string, field: string, more: object = {}) =>
  JSON.stringify({
    domain: {
      name: 'desk',
      version,
      privacy: { subjectIdentifier: { primary: 'email' } },
      resources: {
        Person: {
          object: {
            email: { type: 'email', privacy: { subjectIdentifier: true } },
            [field]: { type: 'string', privacy: { pii: true }, ...more },
          },
          features: { audit: true, versioning: true },
          permissions: { get: ['admin'], create: ['admin'], update: ['admin'] },
          history: {
            events: { told: { on: 'update', label: `is {${field}}`, capture: [field] } },
          },
        },
      },
    },
  })

for (const store of STORES) {
  describe(`what is kept under the former name of a field on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: person('1', 'phone') })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `/api/v1/desk/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })

    it('P14: goes with an erase out of every ledger', async () => {
      const { body } = await send('POST', 'people', { email: 'ida@example.org', phone: 'qzx1' })
      const at = `people/${body.data.id}`
      await send('PATCH', at, { phone: 'qzx2' })
      const told = await send('GET', `${at}/history`)
      expect(told.body.data.items).toMatchObject([{ label: 'is qzx2', data: { phone: 'qzx2' } }])
      await server().submit(person('2', 'tel', { renamedFrom: 'phone' }))
      expect((await send('GET', at)).body.data.tel).toBe('qzx2')
      expect((await send('POST', 'privacy/subject/ida@example.org/erase', { reason: 'asked' })).status).toBe(
        200,
      )
      const left = [...(await rowsKept(server().database))].filter(([, rows]) => /qzx[12]/.test(rows))
      expect(left).toEqual([])
    })
  })
}
