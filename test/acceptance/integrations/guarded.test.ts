import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useCourier } from './courier.ts'

process.env['SVC_DOMAIN_SEALING'] = `tests:${Buffer.alloc(32, 9).toString('base64')}`

const ALL = { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }

/** Cases of an office, each of a person, with fields that are made of guarded ones. */
const RESOURCES = {
  Person: {
    object: {
      name: 'string',
      ssn: { type: 'string', privacy: { encrypted: true } },
      disease: { type: 'string', privacy: { phi: true } },
      pass: 'token',
      loud: { type: 'string', computed: 'upper(ssn)' },
    },
    relationships: { cases: { type: 'hasMany', target: 'Case', foreignKey: 'personId' } },
    permissions: ALL,
  },
  Case: {
    object: {
      title: 'string',
      code: { type: 'string', privacy: { sensitive: true } },
      own: { type: 'string', computed: 'lower(code)' },
      kept: { type: 'string', computed: { expression: "concat('k', code)", stored: true } },
      deep: { type: 'string', computed: "concat('d', own)" },
      sealed: { type: 'string', computed: 'person.ssn' },
      further: { type: 'string', computed: "concat('f', sealed)" },
      phi: { type: 'string', computed: 'person.disease' },
      token: { type: 'string', computed: 'person.pass' },
      loud: { type: 'string', computed: 'person.loud' },
      slug: { type: 'slug', from: 'code' },
      plain: { type: 'string', computed: 'upper(title)' },
    },
    relationships: { person: { type: 'belongsTo', target: 'Person' } },
    permissions: ALL,
  },
}

for (const store of STORES) {
  describe(`what logs of integrations hold of guarded fields on ${store.name}`, () => {
    const courier = useCourier(store)

    it('3.2: nothing of what is made of them, at any depth and along relationships, is in log or dead letters', async () => {
      const made = ['own', 'kept', 'deep', 'sealed', 'further', 'phi', 'token', 'loud', 'slug']
      const body = {
        ...Object.fromEntries(made.map((name) => [`a_${name}`, `$record.${name}`])),
        bare: '{deep}',
        along: '$record.person.loud',
        back: '$(first(person.cases.deep))',
        found: "$(findOne('Case', 'title', 'one').deep)",
        mapped: '$mapped.along',
        plain: '$record.plain',
        name: '$record.person.name',
      }
      await courier.server.submit(
        JSON.stringify({
          domain: {
            name: 'office',
            version: '1.0.0',
            privacy: { enabled: true, encryption: { keyVariable: 'SVC_DOMAIN_SEALING' } },
            resources: RESOURCES,
            integrations: {
              far: {
                type: 'rest',
                baseUrl: courier.sink.url,
                operations: {
                  tell: { resource: 'Case', include: ['person'], method: 'POST', path: '/told', body },
                },
              },
            },
          },
        }),
      )
      const send = (method: string, path: string, values?: object) =>
        courier.server.request(method, `/api/v1/office/${path}`, {
          token: courier.server.admin,
          ...(values && { body: values }),
        })
      const person = await send('POST', 'people', {
        name: 'Ann',
        ssn: 'canary-ssn',
        disease: 'canary-flu',
      })
      const one = await send('POST', 'cases', {
        title: 'one',
        code: 'Canary-Code',
        personId: person.body.data.id,
      })
      expect([person.status, one.status]).toEqual([201, 201])
      const recordId = one.body.data.id
      courier.answer = () => ({ status: 400, headers: {}, body: '' })
      await send('POST', 'integrations/far/operations/tell', { recordId })
      const sent = JSON.parse(courier.received()[0]!.body)
      expect(sent).toMatchObject({ a_deep: 'dcanary-code', a_loud: 'CANARY-SSN', a_phi: 'canary-flu' })
      const log = await send('GET', 'integrations/far/log')
      const letters = await send('GET', 'integrations/far/deadletter')
      const hidden = Object.fromEntries(Object.keys(sent).map((name) => [name, '[REDACTED]']))
      expect(log.body.data.items[0].requestBody).toEqual({ ...hidden, plain: 'ONE', name: 'Ann' })
      expect(letters.body.data.items[0].request.body).toEqual({ ...hidden, plain: 'ONE', name: 'Ann' })
      expect(JSON.stringify([log.body, letters.body])).not.toMatch(/canary/i)
      expect(JSON.stringify([log.body, letters.body])).not.toContain(sent.a_token)
    })
  })
}
