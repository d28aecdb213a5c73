import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const BASE = '/api/v1/desk'
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
/** A line takes few letters, so that what is written of a note fails until the note is shorter. */
const DESK = `
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
    Line: { object: { text: { type: string, maxLength: 9 } }, permissions: ${OPEN} }
  schedules:
    each:
      recurrence: every 3650 days
      source: { resource: Note, filter: role == 'each' }
      action: create
      target: Line
      input: { text: $record.text }
    batch:
      recurrence: every 3650 days
      source: { resource: Note, filter: role == 'batched' }
      batched: true
      action: create
      target: Line
      input: { text: '$records[0].text' }
  privacy:
    permissions: [admin]
    subjectIdentifier: { primary: email }
`

for (const store of STORES) {
  describe(`a firing that is set going again beside a restriction on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DESK, config: { jobs: { enabled: false } } })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `${BASE}/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
    const work = async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        await server().kernel.callAs(SYSTEM)('jobs.tick', {})
        server().clock.advance(60_000)
      }
    }
    const make = async (path: string, body: object): Promise<string> =>
      (await send('POST', path, body)).body.data.id
    const firings = async (schedule: string) =>
      (await send('GET', `schedules/firings?schedule=${schedule}&limit=20`)).body.data.items
    const lines = async () =>
      (await send('GET', 'lines?limit=100')).body.data.items.map(({ text }: { text: string }) => text)

    it('P20: passes over records that are restricted by now, and does the rest', async () => {
      await work()
      const notes = new Map<string, string>()
      for (const name of ['bound', 'free']) {
        const personId = await make('people', { email: `${name}@example.org` })
        for (const role of ['each', 'batched'])
          notes.set(`${name} ${role}`, await make('notes', { personId, role, text: `${name} but too long` }))
      }
      for (const schedule of ['each', 'batch']) await send('POST', `schedules/${schedule}/run`, {})
      await work()
      const failed = [...(await firings('each')), ...(await firings('batch'))]
      expect(failed.map(({ status, error }) => [status, error.code])).toEqual(
        [1, 2, 3].map(() => ['failed', 'VALIDATION_ERROR']),
      )
      for (const [name, id] of notes) await send('PATCH', `notes/${id}`, { text: name.split(' ')[0] })
      const asked = { reason: 'x', restrictedOperations: ['automate'] }
      expect((await send('POST', 'privacy/subject/bound%40example.org/restrict', asked)).status).toBe(200)
      for (const { id } of failed)
        expect((await send('POST', `schedules/firings/${id}/retry`, {})).status).toBe(200)
      await work()
      const told = async (schedule: string) =>
        (await firings(schedule)).map(({ status, recordId, error }: any) => [
          recordId,
          status,
          error?.code ?? null,
        ])
      expect(new Set(await told('each'))).toEqual(
        new Set([
          [notes.get('bound each'), 'skipped', 'RESTRICTED'],
          [notes.get('free each'), 'fired', null],
        ]),
      )
      expect(await told('batch')).toEqual([[null, 'fired', null]])
      expect(await lines()).toEqual(['free', 'free'])
    })
  })
}
