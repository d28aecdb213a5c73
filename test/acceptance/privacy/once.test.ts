import { beforeAll, describe, expect, it } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

const MORE = `consent: [{ purpose: study }]
    retention: [{ category: identity, hold: true, regulation: Tax Act, when: remark == 'taxed' }]`

for (const store of STORES) {
  describe(`what is asked of personal data once on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: clinic({ privacy: MORE }) })
    let dpo: TestAccount
    const post = (path: string, body: object, key: string) =>
      server().request('POST', path, { token: dpo.token, body, headers: { 'Idempotency-Key': key } })
    const person = (name: string, more = {}) =>
      server().request('POST', `${BASE}/patients`, { body: { name, email: `${name}@example.org`, ...more } })
    const entries = async (action: string) =>
      (await server().request('GET', `${BASE}/privacy/log?action=${action}&limit=100`, { token: dpo.token }))
        .body.data.items.length

    beforeAll(async () => {
      dpo = await server().account('dpo', ['dpo'])
    })

    it('2.9: an erase answers the same for its Idempotency-Key, and is done once', async () => {
      await person('canary-ada')
      const path = about('canary-ada@example.org', '/erase')
      const first = await post(path, { reason: 'canary-reason' }, 'k1')
      expect([first.status, first.body.data.alreadyErased]).toEqual([200, undefined])
      const logged = await entries('erase')
      const again = await post(path, { reason: 'canary-reason' }, 'k1')
      expect([again.status, again.body.data]).toEqual([200, first.body.data])
      expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true'])
      expect(await entries('erase')).toBe(logged)
      const other = await post(path, { reason: 'another' }, 'k1')
      expect([other.status, other.body.error_code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
      expect((await rowsKept(server().database)).get('svc_idempotency')).not.toContain('canary')
    })

    it('2.9: a dry run keeps its key from the erase itself', async () => {
      await person('bea')
      const path = about('bea@example.org', '/erase')
      const dry = await post(path, { dryRun: true }, 'k2')
      expect((await post(path, { dryRun: true }, 'k2')).body.data).toEqual(dry.body.data)
      expect((await post(path, { reason: 'x' }, 'k2')).body.error_code).toBe('IDEMPOTENCY_MISMATCH')
    })

    it('2.9, P17: an erase that a hold refused is judged again', async () => {
      const { body } = await person('cleo', { remark: 'taxed' })
      const path = about('cleo@example.org', '/erase')
      const before = await entries('erase')
      expect((await post(path, { reason: 'x' }, 'k3')).status).toBe(409)
      expect(await entries('erase')).toBe(before + 1)
      await server().request('PATCH', `${BASE}/patients/${body.data.id}`, { body: { remark: 'paid' } })
      expect((await post(path, { reason: 'x' }, 'k3')).status).toBe(200)
    })

    it('2.9: a sweep answers the same for its Idempotency-Key, and is run once', async () => {
      const first = await post(`${BASE}/privacy/retention`, {}, 'k5')
      expect(first.status).toBe(200)
      const swept = await entries('sweep')
      const again = await post(`${BASE}/privacy/retention`, {}, 'k5')
      expect([again.status, again.body.data]).toEqual([200, first.body.data])
      expect(await entries('sweep')).toBe(swept)
      const other = await post(`${BASE}/privacy/retention`, { dryRun: true }, 'k5')
      expect([other.status, other.body.error_code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    })

    it('2.9: consent is granted and withdrawn once, and its answers keep nothing of a person', async () => {
      const at = (what: string) => about('dora@example.org', `/consent/${what}`)
      const grant = { purpose: 'study', grantedBy: 'canary mother', evidence: 'canary form' }
      const granted = await post(at('grant'), grant, 'k4')
      expect(granted.body.data).toMatchObject({ evidence: 'canary form' })
      expect((await post(at('grant'), grant, 'k4')).body.data).toEqual(granted.body.data)
      const withdrawal = { purpose: 'study', reason: 'canary moved' }
      const withdrawn = await post(at('withdraw'), withdrawal, 'k5')
      expect(withdrawn.status).toBe(201)
      const again = await post(at('withdraw'), withdrawal, 'k5')
      expect([again.status, again.body.data]).toEqual([201, withdrawn.body.data])
      expect(await entries('consent')).toBe(2)
      expect((await rowsKept(server().database)).get('svc_idempotency')).not.toContain('canary')
    })
  })
}
