import { SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sink, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, useTestKernel } from '../../kit/test-kernel.ts'

const BASE = '/api/v1/desk'
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const TOLD = (url: string, path: string) =>
  `{ channels: [{ type: webhook, url: '${url}/${path}' }], template: { subject: Told, body: '{text}' } }`
const DESK = (url: string) => `
domain:
  name: desk
  version: '1'
  resources:
    Person:
      object: { email: { type: email, unique: true, privacy: { subjectIdentifier: true } } }
      permissions: ${OPEN}
    Note:
      object: { text: { type: string, maxLength: 100 }, role: string }
      relationships: { person: { type: belongsTo, target: Person, foreignKey: personId } }
      permissions: ${OPEN}
    Line: { object: { text: string }, permissions: ${OPEN} }
  rules:
    told:
      trigger: { resource: Note, on: update }
      condition: text != null
      action: log
      message: Told
      notification: ${TOLD(url, 'notification')}
    bye:
      trigger: { resource: Note, on: delete }
      condition: text != null
      action: log
      message: Gone
      notification: ${TOLD(url, 'bye')}
  workflows:
    later:
      trigger: { resource: Note, event: update }
      steps:
        rest: { wait: { timeout: { duration: 10m } } }
        write: { action: create, target: Line, input: { text: '$(concat("later of ", $record.text))' } }
    farewell:
      trigger: { resource: Note, event: delete }
      steps: { write: { action: create, target: Line, input: { text: '$(concat("farewell to ", $record.text))' } } }
  schedules:
    batch:
      recurrence: every 3650 days
      source: { resource: Note }
      batched: true
      action: notify
      notification:
        channels: [log, { type: webhook, url: '${url}/batch' }]
        template: { subject: '{$count}', body: '{#each $records as one}{one.text};{/each}' }
  templates:
    made:
      format: markdown
      trigger: { resource: Note, event: [update, delete] }
      data: { note: { record: Note } }
      body: '{text}'
  integrations:
    crm:
      type: rest
      baseUrl: '${url}'
      retry: { maxAttempts: 5, baseDelay: 1s }
      deadLetter: { maxRetries: 5 }
      operations:
        told:
          method: POST
          path: /integration
          resource: Note
          body: { text: $record.text }
          trigger: { resource: Note, event: [update, delete] }
  privacy:
    permissions: [admin]
    subjectIdentifier: { primary: email }
`
const PEOPLE = ['free', 'bound'] as const
/** What is begun and tried in vain before the restriction, what is only put, and what is deleted after it. */
const ROLES = ['tried', 'put', 'deleted'] as const

for (const store of STORES) {
  describe(`what was put before a restriction on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      config: {
        auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 86_400 } },
        outbound: { allow_private: ['127.0.0.1'] },
        jobs: { enabled: false },
      },
    })
    let isDown = true
    let sink: Sink
    const ids = new Map<string, string>()
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `${BASE}/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
    const touch = async (role: (typeof ROLES)[number]) => {
      for (const person of PEOPLE)
        expect((await send('PATCH', `notes/${ids.get(`${person} ${role}`)}`, { role })).status).toBe(200)
    }
    /** Everything that is due, and what follows from it, for so long. */
    const work = async (minutes: number) => {
      for (let turn = 0; turn < minutes; turn += 1) {
        await server().kernel.callAs(SYSTEM)('jobs.tick', {})
        server().clock.advance(60_000)
      }
    }
    const restrict = (what: 'restrict' | 'unrestrict') =>
      send('POST', `privacy/subject/bound%40example.org/${what}`, {
        reason: 'x',
        ...(what === 'restrict' && { restrictedOperations: ['automate'] }),
      })
    /** Which notes were told, by the way that they were told. */
    const told = async () => {
      const by = new Map<string, Set<string>>()
      for (const { path, body } of sink.received)
        for (const [note] of body.matchAll(/(?:free|bound) (?:tried|put|deleted)/g))
          by.set(path, (by.get(path) ?? new Set()).add(note))
      const lines = (await send('GET', 'lines?limit=100')).body.data.items as { readonly text: string }[]
      by.set('lines', new Set(lines.map(({ text }) => text)))
      const documents = (await send('GET', 'documents?limit=100')).body.data.items as {
        readonly recordId: string
      }[]
      const names = new Map([...ids].map(([name, id]) => [id, name]))
      by.set('documents', new Set(documents.map(({ recordId }) => names.get(recordId) ?? recordId)))
      return Object.fromEntries([...by].map(([path, notes]) => [path, [...notes].toSorted()]))
    }
    const logged = () =>
      server()
        .log.filter(({ event }) => event === 'automation.passed_over')
        .map(({ fields }) => `${String(fields['by'])} ${String(fields['recordId'])}`)

    beforeAll(async () => {
      sink = await startSink(() => ({ status: isDown ? 503 : 200 }))
      await server().submit(DESK(sink.url))
      const endpoint = { url: `${sink.url}/hook`, events: ['svc.desk.note.*'], as: 'admin' }
      const made = await server().request('POST', '/api/v1/admin/webhooks', {
        token: server().admin,
        body: endpoint,
      })
      expect(made.status).toBe(201)
      for (const person of PEOPLE) {
        const { id } = (await send('POST', 'people', { email: `${person}@example.org` })).body.data
        for (const role of ROLES) {
          const text = `${person} ${role}`
          ids.set(text, (await send('POST', 'notes', { text, personId: id })).body.data.id)
        }
      }
      await touch('tried')
      await send('POST', 'schedules/batch/run', {})
      await work(1)
      expect(sink.received.length).toBeGreaterThan(3)
      await touch('put')
      await touch('deleted')
    })
    afterAll(() => sink.stop())

    it('P20: is passed over when its turn comes, and the log says so', async () => {
      expect((await restrict('restrict')).status).toBe(200)
      const before = sink.received.length
      isDown = false
      for (const person of PEOPLE)
        expect((await send('DELETE', `notes/${ids.get(`${person} deleted`)}`)).status).toBe(204)
      await work(30)
      const after = sink.received.slice(before)
      const words = ['bound', ...ROLES.map((role) => ids.get(`bound ${role}`)!)]
      for (const { path, body } of after)
        expect([path, words.filter((word) => body.includes(word))]).toEqual([path, []])
      const all = ROLES.map((role) => `free ${role}`).toSorted()
      expect(await told()).toMatchObject({
        '/bye': ['free deleted'],
        lines: ['farewell to free deleted', ...all.map((note) => `later of ${note}`)],
        // It was made before.
        documents: ['bound tried', ...all],
      })
      const since = (path: string) => [
        ...new Set(
          after
            .filter((one) => one.path === path)
            .flatMap(({ body }) => [...body.matchAll(/free (?:tried|put|deleted)/g)].map(([note]) => note)),
        ),
      ]
      for (const path of ['/batch', '/notification', '/integration'])
        expect([path, since(path).toSorted()]).toEqual([path, all])
      // Of what is gone the id alone is told.
      expect(since('/hook').toSorted()).toEqual(['free put', 'free tried'])
      const gone = ids.get('free deleted')!
      expect(after.some(({ path, body }) => path === '/hook' && body.includes(gone))).toBe(true)
      for (const by of ['rule', 'workflow', 'schedule', 'template', 'integration', 'webhook'])
        // The document of what was tried was made before.
        for (const role of by === 'template' ? ROLES.slice(1) : ROLES)
          expect(logged()).toContain(`${by} ${ids.get(`bound ${role}`)}`)
      for (const role of ROLES) expect(logged().join()).not.toContain(ids.get(`free ${role}`))
    })

    it('P20: stands as passed over in its ledgers', async () => {
      const { items } = (await send('GET', `notifications?recordId=${ids.get('bound put')}`)).body.data
      expect(items).toMatchObject([{ status: 'failed', error: { code: 'RESTRICTED' } }])
      const [batch] = (await send('GET', 'notifications?source=batch&channel=webhook')).body.data.items
      expect(batch).toMatchObject({ status: 'sent', subject: '3' })
      expect(batch.body).not.toContain('bound')
      const letters = (await send('GET', 'integrations/crm/deadletter')).body.data.items
      expect(letters).toEqual([])
      const answer = await send('POST', 'integrations/crm/operations/told', {
        recordId: ids.get('bound put'),
      })
      expect([answer.status, answer.body.error_code]).toEqual([403, 'RESTRICTED'])
      const free = await send('POST', 'integrations/crm/operations/told', { recordId: ids.get('free put') })
      expect(free.status).toBe(200)
    })

    it('P20: is not sent after the restriction is lifted, and can be sent by hand', async () => {
      expect((await restrict('unrestrict')).status).toBe(200)
      const before = sink.received.length
      await work(60)
      expect(sink.received.slice(before).map(({ path, body }) => [path, body])).toEqual([])
      const [{ id }] = (await send('GET', `notifications?recordId=${ids.get('bound put')}`)).body.data.items
      expect((await send('POST', `notifications/${id}/resend`, {})).status).toBeLessThan(300)
      await work(2)
      expect(sink.received.slice(before).map(({ path }) => path)).toEqual(['/notification'])
    })
  })
}
