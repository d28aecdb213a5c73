import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: stand
  version: '1'
  privacy:
    enabled: true
    subjectIdentifier: { primary: email }
    classifications: { contact: { description: How to reach somebody } }
    anonymization: { method: anonymize, rules: { default: gone } }
  resources:
    Customer:
      object:
        number: { type: string, primaryKey: true }
        email: { type: email, privacy: { subjectIdentifier: true, classification: contact } }
        nick: { type: string, privacy: { classification: contact } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
    Job:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { number: string }
      computed: { who: { type: string, expression: "lookup('Customer', number, 'nick')" } }
      features: { versioning: true }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`

for (const store of STORES)
  describe(`formulas that have found what is erased on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `/api/v1/stand/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })

    it('[11.7] an erase is followed by what was found, and no version keeps that', async () => {
      await send('POST', 'customers', { number: 'c1', email: 'rex@example.org', nick: 'Rexy' })
      const { id, who } = (await send('POST', 'jobs', { number: 'c1' })).body.data
      expect(who).toBe('Rexy')
      const erased = await send('POST', 'privacy/subject/rex@example.org/erase', { reason: 'asked for it' })
      expect(erased.status, JSON.stringify(erased.body)).toBeLessThan(300)
      const nick = (await send('GET', 'customers/c1')).body.data.nick
      expect(nick).not.toBe('Rexy')
      expect((await send('GET', `jobs/${id}`)).body.data.who).toBe(nick)
      expect(JSON.stringify((await send('GET', `jobs/${id}/versions`)).body)).not.toContain('Rexy')
    })
  })
