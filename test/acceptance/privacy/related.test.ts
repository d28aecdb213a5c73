import { SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sink, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const BASE = '/api/v1/desk'
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
/** What is told of the people of a family, as a text and as a value. */
const TEXT = "{first(people.name)} {count(people)} {count(people, name == 'Bound')} {eldest} [{head.name}]"
const VALUE =
  "$(format('{0} {1} {2} {3} [{4}]', first(people.name), count(people), count(people, name == 'Bound'), eldest, coalesce(head.name, '')))"
const [BEFORE, AFTER] = ['Bound 2 1 Bound [Bound]', 'Free 1 0 Free []']
/** Families that somebody who is bound belongs to. */
const THEIRS = "any(people, name == 'Bound') or head.name == 'Bound'"

const notified = (url: string, by: string) =>
  `{ channels: [{ type: webhook, url: '${url}/${by}' }], template: { subject: Told, body: "${TEXT}" } }`
const PAPER = `data: { family: { record: Family, include: [head] }, all: { source: Family, include: [people] }, some: { source: Person }, theirs: { source: Family, filter: "${THEIRS}" } }
      body: "${TEXT}|{family.head.name}|{all.people}|{some.name}|{size(theirs)}"`

const DESK = (url: string) => `
domain:
  name: desk
  version: '1'
  resources:
    Family:
      object: { title: string, eldest: { type: string, computed: first(people.name) } }
      relationships:
        people: { type: hasMany, target: Person, foreignKey: familyId }
        head: { type: belongsTo, target: Person }
      permissions: ${OPEN}
      privacy: { subject: [] }
      validation: { full: { expression: "count(people) < 3", message: No more than two } }
    Person:
      object:
        email: { type: email, unique: true, privacy: { subjectIdentifier: true } }
        name: { type: string, privacy: { pii: true } }
      relationships: { family: { type: belongsTo, target: Family } }
      permissions: ${OPEN}
    Line: { object: { by: string, text: string }, permissions: ${OPEN} }
  rules:
    told:
      trigger: { resource: Family, on: update }
      condition: count(people) == 2
      action: log
      message: Told
      notification: ${notified(url, 'rule')}
    mailed:
      trigger: { resource: Family, on: update }
      condition: count(people) == 2
      action: log
      message: Mailed
      notification: { channels: [email], recipients: { field: head.email }, template: { subject: Told, body: Told } }
  workflows:
    told:
      trigger: { resource: Family, event: update }
      steps:
        write: { action: create, target: Line, input: { by: workflow, text: "${VALUE}" } }
        each: { forEach: { collection: { resource: Family, filter: "${THEIRS}" }, as: one, step: { action: create, target: Line, input: { by: each, text: $one.title } } } }
        tell: { action: notify, notification: ${notified(url, 'workflow')} }
  schedules:
    told: { recurrence: every 3650 days, source: { resource: Family }, action: create, target: Line, input: { by: schedule, text: "${VALUE}" } }
    picked: { recurrence: every 3650 days, source: { resource: Family, filter: "${THEIRS}" }, action: create, target: Line, input: { by: picked, text: $record.title } }
  templates:
    told:
      format: markdown
      trigger: { resource: Family, event: update }
      ${PAPER}
    asked:
      format: markdown
      permissions: { generate: [admin] }
      ${PAPER}
  integrations:
    far:
      type: rest
      baseUrl: '${url}'
      operations:
        told:
          method: POST
          path: /integration
          resource: Family
          include: [head]
          trigger: { resource: Family, event: update }
          body: { text: "${VALUE}", head: $record.head, one: "$(findOne('Person', 'name', 'Bound').name)" }
  privacy:
    permissions: [admin]
    subjectIdentifier: { primary: email }
    consent: [{ purpose: news, resources: [Person] }]
`

interface Line {
  readonly id: string
  readonly by: string
  readonly text: string
}

/** What keeps somebody from all that runs by itself, and nothing else. */
const BINDING = {
  P20: (about: string) => [`${about}/restrict`, { reason: 'x', restrictedOperations: ['automate'] }],
  P22: (about: string) => [`${about}/consent/withdraw`, { reason: 'x', purpose: 'news' }],
} as const satisfies Record<string, (about: string) => readonly [string, object]>

for (const store of STORES)
  for (const [ruling, bind] of Object.entries(BINDING))
    describe(`related records that what runs by itself passes over by ${ruling} on ${store.name}`, () => {
      const server = useTestKernel({
        store,
        config: { outbound: { allow_private: ['127.0.0.1'] }, jobs: { enabled: false } },
      })
      let sink: Sink
      let familyId: string
      const send = (method: string, path: string, body?: unknown) =>
        server().request(method, `${BASE}/${path}`, {
          token: server().admin,
          ...(body !== undefined && { body }),
        })
      const done = async (method: string, path: string, body?: unknown) => {
        const answer = await send(method, path, body)
        expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
        return answer.body?.data
      }
      /** Everything that is due, and what follows from it. */
      const work = async () => {
        for (let turn = 0; turn < 4; turn += 1) {
          await server().kernel.callAs(SYSTEM)('jobs.tick', {})
          server().clock.advance(60_000)
        }
      }
      /** All that is told of the family once somebody touches it: by what, the texts. */
      const told = async () => {
        const before = sink.received.length
        const since = new Set(((await done('GET', 'lines?limit=100')).items as Line[]).map(({ id }) => id))
        await done('PATCH', `families/${familyId}`, { title: 'Smith' })
        for (const name of ['told', 'picked']) await done('POST', `schedules/${name}/run`, {})
        await work()
        const asked = await send('POST', 'templates/asked/preview', { recordId: familyId })
        const [document] = (await done('GET', 'documents?sort=-generatedAt')).items
        const made = await send('GET', `documents/${document.id}/download`)
        const lines = ((await done('GET', 'lines?limit=100')).items as Line[]).filter(
          ({ id }) => !since.has(id),
        )
        const [mail] = (await done('GET', 'notifications?channel=email&limit=1')).items
        return new Map<string, string>([
          ...sink.received.slice(before).map(({ path, body }) => [path.slice(1), body] as const),
          ...lines.map(({ by, text }) => [`line of ${by}`, text] as const),
          ['mail', String(mail.error?.code)],
          ['asked', String(asked.body)],
          ['made', String(made.body)],
        ])
      }

      beforeAll(async () => {
        sink = await startSink(() => ({ status: 200, body: '{}' }))
        await server().submit(DESK(sink.url))
        familyId = (await done('POST', 'families', { title: 'Smith' })).id
        for (const name of ['Bound', 'Free']) {
          const email = `${name.toLowerCase()}@example.org`
          await done('POST', `privacy/subject/${email}/consent/grant`, { purpose: 'news' })
          const { id } = await done('POST', 'people', { name, email, familyId })
          if (name === 'Bound') await done('PATCH', `families/${familyId}`, { headId: id })
        }
        await work()
      })
      afterAll(() => sink.stop())

      it(`${ruling}: are read by none of it, and decide as before`, async () => {
        const before = await told()
        const ways = [
          'rule',
          'workflow',
          'integration',
          'line of workflow',
          'line of schedule',
          'asked',
          'made',
        ]
        for (const way of ways)
          expect([way, before.get(way)]).toEqual([way, expect.stringContaining('Bound 2 1')])
        expect([before.get('line of each'), before.get('line of picked')]).toEqual(['Smith', 'Smith'])
        const [path, body] = bind('privacy/subject/bound@example.org')
        await done('POST', path, body)
        const after = await told()
        for (const way of ways)
          expect([way, after.get(way)]).toEqual([way, expect.stringContaining('Free 1 0')])
        for (const [way, text] of after)
          expect([way, text]).toEqual([way, expect.not.stringMatching(/bound/i)])
        expect([after.get('line of workflow'), after.get('line of schedule')]).toEqual([AFTER, AFTER])
        expect(before.get('line of workflow')).toBe(BEFORE)
        expect([before.get('mail'), after.get('mail')]).toEqual([
          expect.not.stringContaining('RECIPIENT'),
          'NO_RECIPIENT',
        ])
        if (ruling === 'P20')
          expect([after.get('line of each'), after.get('line of picked')]).toEqual([undefined, undefined])
        // A validation and the condition of a rule read as their author wrote them.
        const person = { name: 'Third', email: 'third@example.org', familyId }
        await done('POST', 'privacy/subject/third@example.org/consent/grant', { purpose: 'news' })
        await done('POST', 'people', person)
        expect((await send('PATCH', `families/${familyId}`, { title: 'Jones' })).status).toBe(422)
      })
    })
