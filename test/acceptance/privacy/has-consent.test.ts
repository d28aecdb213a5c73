import { SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const BASE = '/api/v1/club'
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const CLUB = (more = '', version = '1') => `
domain:
  name: club
  version: '${version}'
  resources:
    Member:
      object:
        name: string
        email: { type: email, privacy: { subjectIdentifier: true } }
        phone: { type: phone, privacy: { pii: true } }
        wantsNews: { type: boolean, computed: "hasConsent('news')" }
        needsCare: { type: boolean, computed: "hasConsent('care')" }
        ${more}
      relationships:
        notes: { type: hasMany, target: Note, foreignKey: memberId }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: "hasRole('admin') and hasConsent('news')", delete: ['*'] }
    Order:
      object:
        phone: { type: phone, privacy: { pii: true } }
        wantsNews: { type: boolean, computed: "hasConsent('news')" }
      permissions: ${OPEN}
    Note:
      object: { text: string }
      relationships:
        member: { type: belongsTo, target: Member, foreignKey: memberId }
        group: { type: belongsTo, target: Group }
      permissions: ${OPEN}
    Group:
      object: { title: string, silent: { type: integer, computed: "count(notes, member.email == null or text == 'silent')" } }
      relationships: { notes: { type: hasMany, target: Note, foreignKey: groupId } }
      permissions: ${OPEN}
    Line: { object: { text: string, of: string }, permissions: ${OPEN} }
  views:
    readers: { source: Member, filter: "hasConsent('news')", columns: [name, { name: news, computed: "hasConsent('news')" }] }
    silent: { source: Member, filter: "not hasConsent('news') and name != null", columns: [name] }
  rules:
    asked:
      trigger: { resource: Order, on: create }
      condition: "phone != null and not hasConsent('news')"
      action: warn
      message: Nobody has asked
  schedules:
    letters:
      recurrence: every 3650 days
      source: { resource: Member, filter: "hasConsent('news')" }
      action: create
      target: Line
      input: { text: letter, of: $record.name }
    notes:
      recurrence: every 3650 days
      source: { resource: Note }
      action: create
      target: Line
      input: { text: note, of: $record.text }
  privacy:
    permissions: [admin]
    subjectIdentifier: { primary: email, alternates: [phone] }
    consent: [{ purpose: news }, { purpose: care, required: true }, { purpose: study, resources: [Note] }]
`

for (const store of STORES) {
  describe(`hasConsent on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: CLUB(), config: { jobs: { enabled: false } } })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `${BASE}/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
    const consent = (what: 'grant' | 'withdraw', identifier: string, purpose = 'news') =>
      send('POST', `privacy/subject/${encodeURIComponent(identifier)}/consent/${what}`, {
        purpose,
        ...(what === 'withdraw' && { reason: 'x' }),
      })
    const member = async (name: string, more: object = {}): Promise<string> =>
      (await send('POST', 'members', { name, email: `${name}@example.org`, ...more })).body.data.id
    const names = async (path: string) =>
      (await send('GET', path)).body.data.items.map(({ name }: { name: string }) => name).toSorted()
    const run = async (schedule: string) => {
      await send('POST', `schedules/${schedule}/run`, {})
      for (let turn = 0; turn < 3; turn += 1) await server().kernel.callAs(SYSTEM)('jobs.tick', {})
    }
    const lines = async (text: string) =>
      (await send('GET', `lines?filter[text]=${text}&limit=100`)).body.data.items.map(
        ({ of }: { of: string }) => of,
      )
    let ada = ''
    let bob = ''

    beforeAll(async () => {
      ada = await member('ada', { phone: '+442079460018' })
      bob = await member('bob', { phone: '+442079460019' })
      await consent('grant', 'ADA@example.org')
    })

    it('P22: is worked out in process and by the store, alike', async () => {
      const found = (await send('GET', 'members?sort=name')).body.data.items
      expect(
        found.map(({ wantsNews, needsCare }: { wantsNews: boolean; needsCare: boolean }) => [
          wantsNews,
          needsCare,
        ]),
      ).toEqual([
        [true, true],
        [false, true],
      ])
      expect((await send('GET', `members/${bob}?fields=wantsNews`)).body.data.wantsNews).toBe(false)
      expect(await names('views/readers')).toEqual(['ada'])
      expect(await names('views/silent')).toEqual(['bob'])
      const view = (await send('GET', 'views/readers')).body.data
      expect(view.items).toMatchObject([{ name: 'ada', news: true }])
    })

    it('P22: is a permission on records, and follows what is withdrawn at once', async () => {
      expect((await send('PATCH', `members/${ada}`, { name: 'ada' })).status).toBe(200)
      expect((await send('PATCH', `members/${bob}`, { name: 'bob' })).status).toBe(403)
      await consent('grant', 'bob@example.org')
      expect((await send('PATCH', `members/${bob}`, { name: 'bob' })).status).toBe(200)
      await consent('withdraw', 'bob@example.org')
      expect((await send('PATCH', `members/${bob}`, { name: 'bob' })).status).toBe(403)
      expect(await names('views/readers')).toEqual(['ada'])
    })

    it('P22: knows a person by an alternate too, also in a record that is not stored yet', async () => {
      const mine = await send('POST', 'orders', { phone: '+442079460018' })
      expect([mine.status, mine.body.warnings ?? []]).toEqual([201, []])
      expect(mine.body.data.wantsNews).toBe(true)
      const theirs = await send('POST', 'orders', { phone: '+442079460019' })
      expect(theirs.body.warnings).toMatchObject([{ message: 'Nobody has asked' }])
      expect(theirs.body.data.wantsNews).toBe(false)
      const listed = (await send('GET', 'orders?sort=phone')).body.data.items
      expect(listed.filter(({ wantsNews }: { wantsNews: boolean }) => wantsNews)).toHaveLength(1)
    })

    it('P22: picks the records of a schedule', async () => {
      await run('letters')
      expect(await lines('letter')).toEqual(['ada'])
    })

    it('P22: automation passes over what its resource may not hold any more', async () => {
      for (const name of ['ada', 'bob']) await consent('grant', `${name}@example.org`, 'study')
      for (const [text, memberId] of [
        ['of ada', ada],
        ['of bob', bob],
      ])
        expect((await send('POST', 'notes', { text, memberId })).status).toBe(201)
      await consent('withdraw', 'bob@example.org', 'study')
      await run('notes')
      expect(await lines('note')).toEqual(['of ada'])
      const firings = (await send('GET', 'schedules/firings?schedule=notes&status=skipped')).body.data.items
      expect(firings).toMatchObject([{ error: { code: 'CONSENT_REQUIRED' } }])
    })

    it.each([
      ["hasConsent('newz')", "there is no purpose 'newz'", 'ou mean'],
      ['hasConsent(name)', 'takes the name of a purpose, written out', ''],
      ['hasConsent()', 'takes 1 argument', ''],
    ])('P22: %s is PARSE_ERROR', async (source, says, hint) => {
      const content = CLUB(`wrong: { type: boolean, computed: ${JSON.stringify(source)} }`, '2')
      const answer = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content },
      })
      expect(answer.status).toBe(422)
      const told = JSON.stringify(answer.body)
      expect(told).toContain(says)
      expect(told).toContain(hint)
    })

    it('P22: of records by which nobody is found it is PARSE_ERROR', async () => {
      const content = CLUB('', '3').replace(
        'Line: { object: { text: string,',
        'Line: { object: { text: string, wrong: { type: boolean, computed: "hasConsent(\'news\')" },',
      )
      const answer = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content },
      })
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        422,
        expect.stringContaining('needs a record that people are found by'),
      ])
    })
  })
}
