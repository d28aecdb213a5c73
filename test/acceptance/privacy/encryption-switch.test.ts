import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askServer } from '@svc/management/contract'
import { describe, expect, it } from 'vitest'
import { filesKept, rowsKept } from '../../kit/at-rest.ts'
import { behind } from '../../kit/behind.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { QUIET, tick } from '../workflows/desk.ts'
import { clinic, config as own, ENCRYPTION, PATIENTS, sender } from './clinic.ts'

const socket = join(mkdtempSync(join(tmpdir(), 'svc-socket-')), 'svc.sock')
const config = { ...own, ...QUIET, management: { socket } }

/** The same clinic, its values as they are or encrypted, with everything that keeps something of them. */
const version = (number: string, flag: string, { privacy = ENCRYPTION, ssn = 'ssn', more = '' } = {}) =>
  clinic({
    version: number,
    privacy,
    object: `name: string
        ${ssn}: { type: string, unique: true${flag}${more} }
        note: { type: text${flag} }`,
    more: `history:
        events:
          came: { on: create, capture: [${ssn}, name], label: '{name} has {${ssn}}', detail: 'for good' }
          moved: { on: fieldChange, field: note, label: 'from {previousValue} to {newValue}' }`,
    domain: `rules:
    told:
      trigger: { resource: Patient, on: create }
      condition: note != null
      action: log
      history: true
      message: 'Noted {note}'
      notification: { channels: [log], template: { body: 'It is {note}' } }
  workflows:
    waits:
      trigger: { resource: Patient, event: create }
      steps: { rest: { wait: { timeout: { duration: 30d, then: end } } } }`,
  })
/** Statements by which an update of a table fails in its middle, and no longer does. */
const plugOf = (store: string) =>
  store === 'sqlite'
    ? {
        pulled: (table: string, when: string) =>
          `create trigger plug before update on "${table}" when ${when} begin select raise(abort, 'pulled'); end`,
        back: (_: string) => 'drop trigger plug',
      }
    : {
        pulled: (table: string, when: string) => `
          create function plug() returns trigger language plpgsql as $$ begin raise exception 'pulled'; end $$;
          create trigger plug before update on "${table}" for each row when (${when}) execute function plug()`,
        back: (table: string) => `drop trigger plug on "${table}"; drop function plug`,
      }

const OFF = ''
const ON = ', privacy: { encrypted: true }'
const WITHOUT = { privacy: '' }

for (const store of STORES) {
  describe(`switching encryption on and off on ${store.name}`, () => {
    const server = useTestKernel({ store, config, definition: version('1', OFF, WITHOUT) })
    const send = sender(server)
    const get = async (path: string) => (await send('GET', path)).body.data
    const clear = async (but = /$^/) => {
      const rows = [...(await rowsKept(server().database))].filter(([name]) => !but.test(name))
      return rows
        .filter(([, text]) => text.includes('canary'))
        .map(([name]) => name)
        .toSorted()
    }
    const told = async () => {
      const { items } = await get(`${PATIENTS}?sort=name`)
      const all = await Promise.all(
        items.map(async ({ id }: { id: string }) => [
          (await get(`${PATIENTS}/${id}/audit`)).items.map(({ changes }: any) => changes),
          (await get(`${PATIENTS}/${id}/versions`)).items.map(({ data }: any) => data),
          (await get(`${PATIENTS}/${id}/history`)).items.map(({ label, detail, data }: any) => [
            label,
            detail,
            data,
          ]),
        ]),
      )
      return {
        records: items.map(({ updatedAt: _, ...record }: Record<string, unknown>) => record),
        ledgers: all,
        log: (await get('/api/v1/clinic/rules/log')).items,
        instances: (await get('/api/v1/clinic/workflows/instances')).items,
        messages: (await get('/api/v1/clinic/notifications')).items,
      }
    }
    const preview = async (content: string) => {
      const { body } = await send('POST', '/api/v1/domains/clinic/preview', { content })
      const steps: { kind: string; column?: string; destructive: boolean; reversible: boolean }[] =
        body.data.steps
      return steps.map(({ kind, column, destructive, reversible }) => [kind, column, destructive, reversible])
    }
    /** The same request again, which is answered as it was. */
    const once = (item: { readonly name: string; readonly ssn?: string; readonly note?: string }) =>
      server().request('POST', PATIENTS, {
        token: server().admin,
        headers: { 'Idempotency-Key': item.name },
        body: item,
      })
    let before: Awaited<ReturnType<typeof told>>

    it('E6: is a step of a migration that loses nothing', async () => {
      const items = [
        { name: 'Ann', ssn: 'canary-1', note: 'canary-a' },
        { name: 'Bob', ssn: 'canary-2', note: 'canary-b' },
        { name: 'Cid' },
      ]
      for (const item of items) expect((await once(item)).status).toBe(201)
      const [{ id }] = (await get(`${PATIENTS}?sort=name`)).items
      await send('PATCH', `${PATIENTS}/${id}`, { note: 'canary-c' })
      await tick(server())
      before = await told()
      expect(JSON.stringify(before)).toContain('from canary-a to canary-c')
      expect(await preview(version('2', ON))).toEqual(
        expect.arrayContaining([
          ['encryptColumn', 'ssn', false, true],
          ['encryptColumn', 'note', false, true],
        ]),
      )
    })

    it('E6: a failure at whichever table leaves all of it as it was', async () => {
      const tables = await clear()
      const rows = async () =>
        new Map([...(await rowsKept(server().database))].filter(([name]) => tables.includes(name)))
      const [stored, plug] = [await rows(), plugOf(store.name)]
      for (const table of tables) {
        await behind(
          server().database,
          plug.pulled(table, table === 'clinic_patient' ? `old.name = 'Bob'` : '1 = 1'),
        )
        const refused = await send('POST', '/api/v1/domains', { content: version('2', ON) })
        expect([table, refused.status]).toEqual([table, 500])
        await behind(server().database, plug.back(table))
        expect(await told()).toEqual(before)
        expect(await rows()).toEqual(stored)
      }
    })

    it('E5, E6: encrypts records and all that is kept of them, which tell what they told', async () => {
      expect((await clear()).length).toBeGreaterThan(4)
      await server().submit(version('2', ON))
      expect(await told()).toEqual(before)
      expect(await clear()).toEqual([])
      expect((await get(`${PATIENTS}?filter[ssn]=canary-2`)).count).toBe(1)
      const again = await send('POST', PATIENTS, { name: 'Dan', ssn: 'canary-2' })
      expect(again.body.error_code).toBe('DUPLICATE')
    })

    it('E6, P15: no byte of what stood in the clear is left in the files', async () => {
      const scrubs = () =>
        server()
          .log.filter(({ event }) => event === 'privacy.scrubbed')
          .map(({ fields }) => fields['domain'])
      // So that this is no test of nothing.
      expect((await filesKept(server().database)).includes('canary')).toBe(true)
      if (store.name === 'postgres') {
        expect(server().log.find(({ event }) => event === 'privacy.scrub_left')?.fields).toMatchObject({
          domain: 'clinic',
          command: 'svc privacy scrub',
        })
        await askServer(socket, { cmd: 'privacy_scrub' })
      }
      const isDone = async () => {
        await tick(server())
        return scrubs().length
      }
      await expect.poll(isDone, { timeout: 30_000 }).toBe(1)
      expect((await filesKept(server().database)).includes('canary')).toBe(false)
      expect(await told()).toEqual(before)
      const again = await once({ name: 'Ann', ssn: 'canary-1', note: 'canary-a' })
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    })

    it('E6: a rename encrypts values for the name that they have then', async () => {
      const renamed = version('3', ON, { ssn: 'number', more: ', renamedFrom: ssn' })
      expect((await preview(renamed)).map(([kind]) => kind)).toContain('encryptColumn')
      await server().submit(renamed)
      const { items } = await get(`${PATIENTS}?filter[number]=canary-2`)
      expect(items).toMatchObject([{ name: 'Bob', number: 'canary-2' }])
      const [entry] = (await get(`${PATIENTS}/${items[0].id}/audit`)).items
      expect(entry.changes).toMatchObject({ number: { to: 'canary-2' } })
      const back = await send('POST', '/api/v1/domains/clinic/rollback', { target_version: '2' })
      expect(back.status).toBe(200)
      expect(await told()).toEqual(before)
      expect(await clear()).toEqual([])
    })

    it('E6: decrypts all of it, and what was encrypted then is as it was', async () => {
      expect(await preview(version('4', OFF, WITHOUT))).toEqual(
        expect.arrayContaining([
          ['decryptColumn', 'ssn', false, true],
          ['decryptColumn', 'note', false, true],
        ]),
      )
      await server().submit(version('4', OFF, WITHOUT))
      expect(await told()).toEqual(before)
      const again = await once({ name: 'Ann', ssn: 'canary-1', note: 'canary-a' })
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
      expect(JSON.stringify([...(await rowsKept(server().database))])).not.toContain('~sealed')
      const back = await send('POST', '/api/v1/domains/clinic/rollback', { target_version: '2' })
      expect(back.status).toBe(200)
      const { records, ledgers } = await told()
      expect({ records, ledgers }).toEqual({ records: before.records, ledgers: before.ledgers })
    })

    it('E6: stored values that repeat are no reason to lose half of it', async () => {
      await server().submit(
        clinic({
          version: '5',
          object: `name: string\n        ssn: string\n        note: text`,
          more: '',
          privacy: '',
        }),
        { allow_destructive: true },
      )
      await send('POST', PATIENTS, { name: 'Eve', ssn: 'canary-2' })
      const refused = await send('POST', '/api/v1/domains', {
        content: version('6', ON),
        allow_destructive: true,
      })
      expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT'])
      expect(refused.body.error_message).not.toContain('blind')
      expect((await get(`${PATIENTS}?filter[ssn][like]=canary`)).count).toBe(3)
    })
  })
}

for (const store of STORES) {
  describe(`switching encryption on where privacy is not enabled, on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      config: { ...config, management: { socket: `${socket}.off` } },
      definition: version('1', OFF, WITHOUT),
    })

    it('E6, P1: leaves no byte of what stood in the clear either', async () => {
      const send = sender(server)
      expect((await send('POST', PATIENTS, { name: 'Ann', note: 'canary of Ann' })).status).toBe(201)
      await server().submit(version('2', ON, { privacy: `enabled: false\n    ${ENCRYPTION}` }))
      if (store.name === 'postgres')
        expect(await askServer(`${socket}.off`, { cmd: 'privacy_scrub' })).toEqual({
          ok: true,
          data: ['clinic'],
        })
      const isDone = async () => {
        await tick(server())
        return server().log.some(({ event }) => event === 'privacy.scrubbed')
      }
      await expect.poll(isDone, { timeout: 30_000 }).toBe(true)
      expect((await filesKept(server().database)).includes('canary')).toBe(false)
      expect((await send('GET', PATIENTS)).body.data.items).toMatchObject([{ note: 'canary of Ann' }])
    })
  })
}
