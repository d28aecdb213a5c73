import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { everythingKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"

/** People of whom fields tell that are worked out from each other; `flag` marks these too, or does not. */
const registry = (flag: string) => `
domain:
  name: registry
  version: '1'
  privacy:
    subjectIdentifier: { primary: email }
    classifications: { contact: {} }
    retention: [{ category: contact, duration: 1d, action: anonymize, resources: [Lead] }]
  resources:
    Person:
      features: { audit: true, versioning: true }
      object:
        name: string
        email: { type: email, privacy: { subjectIdentifier: true } }
        ssn: { type: string, privacy: { pii: true } }
        own: { type: string, computed: "upper(ssn)"${flag} }
        stored: { type: string, computed: { expression: "lower(own)", stored: true }${flag} }
        direct: { type: string, computed: { expression: "lower(ssn)", stored: true }${flag} }
        size: { type: integer, computed: { expression: "length(name)", stored: true } }
        path: { type: slug, from: ssn${flag} }
      permissions: ${OPEN}
      history:
        events:
          told: { on: update, label: 'is {stored} {direct} {own} {path}', capture: [stored, direct, own, path] }
          moved: { on: fieldChange, field: stored, label: 'now {newValue}' }
    Visit:
      features: { audit: true, versioning: true }
      object:
        room: string
        complaint: { type: string, privacy: { phi: true } }
      relationships: { person: { type: belongsTo, target: Person } }
      permissions: ${OPEN}
      history: { events: { seen: { on: update, label: 'seen for {complaint}', capture: [complaint] } } }
    Lead:
      features: { audit: true, versioning: true }
      object:
        createdAt: { type: datetime, autoNow: create }
        remark: string
        phone: { type: string, privacy: { classification: contact } }
        dial: { type: string, computed: { expression: "concat('tel:', phone)", stored: true } }
        path: { type: slug, from: phone, unique: true }
      permissions: ${OPEN}
      history: { events: { told: { on: update, label: 'call {dial} {path}', capture: [dial, path] } } }
    Card:
      mode: sheet
      computedFields: { overridable: [line] }
      features: { audit: true, versioning: true }
      object:
        remark: string
        email: { type: email, privacy: { subjectIdentifier: true } }
        nick: { type: string, privacy: { pii: true } }
      computed: { line: { type: string, expression: "upper(remark)", stored: true } }
      permissions: ${OPEN}
      history: { events: { told: { on: update, label: 'card {line}', capture: [line] } } }
    Desk:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      features: { audit: true, versioning: true }
      object: { personId: uuid, title: string }
      computed:
        ssn: { type: string, expression: "lookup('Person', personId, 'ssn')" }
        loud: { type: string, expression: "concat('desk of ', ssn)" }
        people: { type: integer, expression: "aggregate('Person', 'count', 'ssn')" }
      permissions: ${OPEN}
      history: { events: { told: { on: update, label: 'desk {loud}', capture: [loud] } } }
`

const CONFIG = {
  jobs: { enabled: false },
  auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 10_000_000 } },
}

const BESIDE = ['audit', 'versions', 'history']

for (const store of STORES) {
  describe.each([
    ['marked', ', privacy: { pii: true }'],
    ['not marked', ''],
  ])(`what is made of erased values, %s, on ${store.name}`, (_, flag) => {
    const server = useTestKernel({ store, definition: registry(flag), config: CONFIG })
    const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, headers = {}) =>
      server().request(method, `/api/v1/registry/${path}`, {
        token: server().admin,
        headers,
        ...(body !== undefined && { body }),
      })
    const make = async (path: string, body: object): Promise<string> => {
      const { status, body: made } = await send('POST', path, body, {
        'idempotency-key': JSON.stringify(body),
      })
      expect([status, made.errors]).toEqual([201, undefined])
      return made.data.id
    }
    const beside = async (record: string) => {
      const found = []
      for (const what of BESIDE) found.push((await send('GET', `${record}/${what}`)).body.data.items)
      return found as [any[], any[], any[]]
    }
    const erase = async (email: string, body: object = {}) => {
      const { status, body: answer } = await send('POST', `privacy/subject/${email}/erase`, {
        reason: 'asked for it',
        ...body,
      })
      expect([status, answer.error_message]).toEqual([200, undefined])
      return answer.data
    }
    const kept = async (): Promise<string> => {
      await server().kernel.callAs(SYSTEM)('jobs.tick', {})
      const own = server().kernel.get(StoreCapability)
      await own.scrub((await own.catalog()).tables.map(({ name }) => name))
      return `${await everythingKept(server().database)}\n${JSON.stringify(server().log)}`
    }
    const person = async (word: string) => {
      const email = `${word}@example.org`
      const id = await make('people', { name: 'one', email, ssn: `Canary ${word}` })
      await send('PATCH', `people/${id}`, { ssn: `Canary ${word} the second` })
      return { email, at: `people/${id}` }
    }

    it.each(['anonymize', 'pseudonymize', 'delete'])(
      'P14, P15: is nowhere left, in no ledger and no byte, with the method %s',
      async (method) => {
        const word = `w${method}`
        const { email, at } = await person(word)
        const dry = await erase(email, { method, dryRun: true })
        const { id, erasedAt, ...done } = await erase(email, { method })
        expect(done).toEqual({ ...dry, dryRun: false })
        expect([typeof id, typeof erasedAt]).toEqual(['string', 'string'])
        if (method !== 'delete') {
          expect(done.affectedResources[0].fields).toEqual(['email', 'ssn', 'path'])
          expect(JSON.stringify(await beside(at))).not.toMatch(new RegExp(word, 'i'))
        }
        expect(await kept()).not.toMatch(new RegExp(`canary.${word}`, 'i'))
      },
    )

    it('P14: ledgers hold what is worked out by now, or nothing, and all else as it was', async () => {
      const { email, at } = await person('gustav')
      await erase(email, { method: 'pseudonymize' })
      const { data: now } = (await send('GET', at)).body
      const [audit, versions, history] = await beside(at)
      const [last, first] = audit.filter(({ changes }) => !('_action' in changes))
      const gone = { from: null, to: null, erased: true }
      expect(last.changes).toEqual({ ssn: gone, stored: gone, direct: gone })
      expect(first.changes.direct).toEqual({ to: null, erased: true })
      expect(first.changes.size).toEqual({ to: 3 })
      const { fields } = audit.find(({ changes }) => '_action' in changes).changes
      expect(fields.toSorted()).toEqual(['direct', 'email', 'path', 'ssn', 'stored'])
      const { ssn, stored, direct, path, size } = now
      expect(versions[0].data).toMatchObject({ ssn, stored, direct, path, size })
      const labels = history.map(({ label }) => label).toSorted()
      expect(labels.at(0)).toBe(`is ${stored ?? ''} ${direct ?? ''}  ${path ?? ''}`)
      expect(labels.at(1)).toBe(`now ${stored ?? ''}`)
    })

    it('P14: retained ledgers keep it', async () => {
      const { email, at } = await person('helga')
      await erase(email, { retainAudit: true, retainHistory: true })
      for (const one of await beside(at)) expect(JSON.stringify(one)).toMatch(/canary.helga/i)
    })

    it('P14: what was taken away before is in ledgers no more, and other records stay as they are', async () => {
      const { email, at } = await person('ivana')
      const personId = at.replace('people/', '')
      const bare = `visits/${await make('visits', { room: '1', personId })}`
      const seen = `visits/${await make('visits', { room: '2', complaint: 'ivana-coughs', personId })}`
      await send('PATCH', bare, { room: '3' })
      await send('PATCH', seen, { room: '3' })
      await send('PATCH', seen, { complaint: null })
      await send('PATCH', at, { ssn: null })
      const before = await beside(bare)
      await erase(email)
      for (const one of [at, seen]) expect(JSON.stringify(await beside(one)), one).not.toMatch(/ivana/i)
      expect(await beside(bare)).toEqual(before)
      const [audit, versions] = await beside(seen)
      const { fields } = audit.find(({ changes }) => '_action' in changes).changes
      expect(fields).toEqual(['complaint'])
      expect(versions.map(({ data }) => data.room)).toEqual(['3', '2'])
      expect(await kept()).not.toMatch(/ivana/i)
    })

    it('[11.7], P14: nor in the ledgers of a sheet whose formulas have found it; numbers of many stay', async () => {
      const { email, at: whom } = await person('jacek')
      const at = `desks/${await make('desks', { personId: whom.replace('people/', ''), title: 'a' })}`
      await send('PATCH', at, { title: 'b' })
      expect(JSON.stringify(await beside(at))).toMatch(/canary jacek/i)
      await erase(email)
      expect(JSON.stringify(await beside(at))).not.toMatch(/canary jacek/i)
      const [audit, versions] = await beside(at)
      expect(audit.find(({ action }) => action === 'create').changes.people.to).toBeGreaterThan(0)
      expect(versions.at(-1).data.people).toBeGreaterThan(0)
    })

    it('P14: ledgers of records whose numbers alone follow stay as they are', async () => {
      const [{ email }, { at: whom }] = [await person('norma'), await person('oskar')]
      const at = `desks/${await make('desks', { personId: whom.replace('people/', ''), title: 'n' })}`
      await send('PATCH', at, { title: 'm' })
      const [before, { people }] = [await beside(at), (await send('GET', at)).body.data]
      await erase(email)
      expect((await send('GET', at)).body.data.people).toBe(people - 1)
      expect(await beside(at)).toEqual(before)
    })

    it('P14: nor in those of one whose formulas have found it once, while what they find now stays', async () => {
      const { email, at: whom } = await person('karol')
      const { at: other } = await person('lidia')
      const keyOf = (path: string) => path.replace('people/', '')
      const at = `desks/${await make('desks', { personId: keyOf(whom), title: 'a' })}`
      await send('PATCH', at, { personId: keyOf(other), title: 'b' })
      await send('PATCH', at, { title: 'c' })
      await erase(email, { retainAudit: true, retainHistory: true })
      expect(JSON.stringify(await beside(at))).toMatch(/canary karol/i)
      const again = await person('marta')
      await send('PATCH', at, { personId: keyOf(again.at) })
      await send('PATCH', at, { personId: keyOf(other) })
      await erase(again.email)
      const left = await beside(at)
      expect(JSON.stringify(left)).not.toMatch(/canary marta/i)
      for (const one of left) expect(JSON.stringify(one)).toMatch(/canary lidia/i)
      const { changes } = left[0].find((one) => one.changes.ssn?.erased === true)
      expect(changes.personId.to === keyOf(again.at) || changes.personId.from === keyOf(again.at)).toBe(true)
    })

    it('P14: a record has a formula of its own, which names a personal field', async () => {
      const email = 'olga@example.org'
      const formula = { line_formula: "concat('of ', nick)" }
      const at = `cards/${await make('cards', { email, nick: 'Canary olga', remark: 'r', ...formula })}`
      await send('PATCH', at, { nick: 'Canary olga the second' })
      await erase(email)
      const { data: now } = (await send('GET', at)).body
      const found = await beside(at)
      expect(JSON.stringify([now, found])).not.toMatch(/canary olga/i)
      expect(found[1][0].data).toMatchObject({ remark: 'r', line: now.line, ...formula })
    })

    it('P24: a sweep takes it along, and what was taken away before', async () => {
      const one = `leads/${await make('leads', { phone: 'canary-0301', remark: 'kept' })}`
      const none = `leads/${await make('leads', { phone: 'canary-0302', remark: 'kept' })}`
      for (const at of [one, none]) await send('PATCH', at, { remark: 'kept too' })
      await send('PATCH', none, { phone: null })
      server().clock.advance(3 * 86_400_000)
      const { body } = await send('POST', 'privacy/retention', {})
      expect(body.data.items).toMatchObject([{ category: 'contact', due: 2, done: 2 }])
      for (const at of [one, none]) {
        expect(JSON.stringify([await beside(at), await send('GET', at)]), at).not.toMatch(/canary/)
        expect((await send('GET', at)).body.data.remark).toBe('kept too')
      }
    })
  })

  describe(`slugs of personal fields on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: registry('') })
    const send = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) =>
      server().request(method, `/api/v1/registry/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })

    it('P11, P19: are personal as what they are made from, and can be corrected', async () => {
      const made = await send('POST', 'people', { email: 'kim@example.org', ssn: 'Canary Kim' })
      expect(made.body.data.path).toBe('canary-kim')
      const corrected = await send('PATCH', 'privacy/subject/kim@example.org/rectify', {
        resource: 'Person',
        recordId: made.body.data.id,
        corrections: { path: 'kim-again', ssn: 'Kim' },
        reason: 'wrong',
      })
      expect([corrected.status, corrected.body.data]).toMatchObject([200, { corrected: ['path', 'ssn'] }])
      const { body } = await send('POST', 'privacy/subject/kim@example.org/erase', { reason: 'x' })
      expect(body.data.affectedResources[0].fields).toEqual(['email', 'ssn', 'path'])
      const at = `people/${made.body.data.id}`
      expect((await send('GET', at)).body.data.path).toBeNull()
      const ledgers = [await send('GET', `${at}/audit`), await send('GET', `${at}/versions`)]
      expect(JSON.stringify(ledgers)).not.toMatch(/kim/i)
    })
  })
}
