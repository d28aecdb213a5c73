import { join, parse } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SYSTEM } from '@svc/kernel'
import {
  column,
  type Row,
  type Store,
  StoreCapability,
  type Table,
  type Transaction,
} from '@svc/store/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { everythingKept, rowsKept } from '../../kit/at-rest.ts'
import { startSecond } from '../../kit/second-server.ts'
import { STORES, type TestDatabase } from '../../kit/stores.ts'
import { SECRET, type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const DESK = `
    Desk:
      features: { audit: true, versioning: true, softDelete: true }
      object: { title: string, size: integer, deletedAt: datetime }
      history:
        events:
          opened: { on: create, label: 'Opened by {user.name}', detail: '{title}, says {user.name} ({user.email})', capture: [title] }
      permissions: ${OPEN}`
/** Who writes here is told in every way there is. */
const TELLING = `
  rules:
    large: { trigger: { resource: Desk, on: [create, update] }, condition: 'size > 7', action: warn, message: 'A large desk' }
  workflows:
    opened:
      trigger: { resource: Desk, event: create }
      steps: { rest: { wait: { timeout: { duration: 30d, then: done } } }, done: { action: noop } }
`
const WARD = `
domain:
  name: ward
  version: '1'
  resources:
    Bed:
      features: { audit: true }
      object: { title: string }
      history: { events: { made: { on: create, label: 'Made by {user.name}' } } }
      permissions: ${OPEN}
    Board: { mode: sheet, object: { title: string }, permissions: ${OPEN} }
`
const config = {
  jobs: { enabled: false },
  auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 1_000_000_000 } },
}

/** The table of the request log, as far as a row of it goes. */
const requestLog = (row: Row): Table => {
  const columns = Object.entries(row).map(([name, value]) =>
    column(
      name,
      name === 'id'
        ? 'uuid'
        : name === 'timestamp' || name === 'earliest'
          ? 'datetime'
          : typeof value === 'number'
            ? 'float'
            : Array.isArray(value)
              ? 'json'
              : 'text',
    ),
  )
  return { name: 'svc_audit', columns, primaryKey: [], indexes: [], foreignKeys: [] }
}

/** The file of the request log, where that is another one than the database. */
function journalOf(database: TestDatabase): TestDatabase | undefined {
  const { path } = Object(Object.values(database.config())[0])
  if (typeof path !== 'string') return undefined
  const { dir, name, ext } = parse(path)
  return { ...database, config: () => ({ sqlite: { path: join(dir, `${name}.journal${ext}`) } }) }
}

/** Has the next transaction that writes to a table wait behind that until the gate is opened. */
function hold(store: Store, table: string): { readonly reached: Promise<void>; open(): void } {
  let [reach, open]: (() => void)[] = []
  const reached = new Promise<void>((resolve) => (reach = resolve))
  const opened = new Promise<void>((resolve) => (open = resolve))
  const run = store.transaction.bind(store)
  const transaction: Store['transaction'] = (work, options) =>
    run(
      (begun) =>
        work(
          new Proxy(begun, {
            get(target, name) {
              const member: unknown = Reflect.get(target, name)
              if (typeof member !== 'function') return member
              if (name !== 'update') return member.bind(target)
              return async (plan: Parameters<Transaction['update']>[0]) => {
                const result = await target.update(plan)
                if (plan.table.name === table) {
                  reach?.()
                  await opened
                }
                return result
              }
            },
          }),
        ),
      options,
    )
  Object.assign(store, { transaction })
  return { reached, open: () => open?.() }
}

for (const store of STORES) {
  describe(`the name of an account that goes with its person on ${store.name}`, () => {
    const server = useTestKernel({ store, config, definition: clinic({ more: DESK }) + TELLING })
    let dpo: TestAccount
    beforeEach(async () => {
      dpo ??= await server().account('keeper', ['dpo', 'admin'])
      await server().request('POST', '/api/v1/domains', { token: server().admin, body: { content: WARD } })
    })
    const send = async (method: string, path: string, body: unknown, { token } = dpo, headers = {}) => {
      const answer = await server().request(method, path, {
        token,
        headers,
        ...(body !== undefined && { body }),
      })
      expect([method, path, answer.body.error_message, answer.status < 300]).toEqual([
        method,
        path,
        undefined,
        true,
      ])
      return answer.body.data
    }
    const tablesWith = async (word: string) => {
      const databases = [server().database, journalOf(server().database)].filter((one) => one !== undefined)
      const kept = await Promise.all(databases.map((one) => rowsKept(one)))
      return kept.flatMap((tables) =>
        [...tables].flatMap(([table, rows]) => (rows.toLowerCase().includes(word) ? [table] : [])),
      )
    }
    /** Somebody with an account, who leaves its name wherever it can. */
    const busy = async (name: string) => {
      const account = await server().account(name, ['dpo', 'admin'])
      await send('POST', `${BASE}/patients`, { name: 'Somebody', email: `${name}@example.org` })
      const made = await send('POST', `${BASE}/desks`, { title: 'Oak', size: 9 }, account, {
        'idempotency-key': name,
      })
      await send('PATCH', `${BASE}/desks/${made.id}`, { title: 'Elm', size: 8 }, account)
      const bed = await send('POST', '/api/v1/ward/beds', { title: 'Iron' }, account)
      await send('GET', about(`${name}@example.org`), undefined, account)
      await send('GET', '/api/v1/admin/audit', undefined, account)
      return { account, desk: made.id, bed: bed.id }
    }
    const erase = (name: string, body: object = {}, by = dpo) =>
      send('POST', about(`${name}@example.org`, '/erase'), { reason: 'asked', account: true, ...body }, by)

    it('P14: becomes the pseudonym in ledgers, of other domains too, and in the log of requests, without addresses', async () => {
      const name = 'canaryname'
      const { desk, bed } = await busy(name)
      const before = await tablesWith(name)
      for (const table of ['clinic_desk__audit', 'clinic_desk__history', 'ward_bed__audit', 'svc_audit'])
        expect(before).toContain(table)
      for (const kind of ['events', 'rules__log', 'workflows__instances', 'privacy__log'])
        expect(before.filter((table) => table.startsWith(`clinic__${kind}`))).not.toEqual([])
      const dry = await erase(name, { dryRun: true })
      expect(dry.account).toMatchObject({ action: 'remove', name: 'pseudonym' })
      expect(await tablesWith(name)).toEqual(before)
      const done = await erase(name)
      expect(done.account).toEqual(dry.account)
      await expect.poll(() => tablesWith(name)).toEqual([])
      const { items } = await send('GET', `${BASE}/desks/${desk}/audit`, undefined)
      const [{ username }] = items
      expect(username).toMatch(/^p-[a-z2-7]{16}$/)
      expect(items.map((one: { readonly username: string }) => one.username)).toEqual([username, username])
      const history = await send('GET', `${BASE}/desks/${desk}/history`, undefined)
      expect(history.items[0]).toMatchObject({
        label: `Opened by ${username}`,
        actor: { username },
      })
      const beds = await send('GET', `/api/v1/ward/beds/${bed}/history`, undefined)
      expect(beds.items[0]).toMatchObject({ label: `Made by ${username}` })
      const requests = await send('GET', `/api/v1/admin/audit?username=${username}`, undefined)
      expect(requests.count).toBeGreaterThan(5)
      expect(new Set(requests.items.map((one: { readonly remoteAddr: unknown }) => one.remoteAddr))).toEqual(
        new Set([null]),
      )
      const others = await send('GET', '/api/v1/admin/audit?username=keeper&limit=5', undefined)
      expect(others.items[0].remoteAddr).toBe('127.0.0.1')
    })

    it('P13, P14: is the lasting pseudonym of whom pseudonymize has given one', async () => {
      const { desk } = await busy('canarylast')
      await erase('canarylast', { method: 'pseudonymize' })
      const { items } = await send('GET', `${BASE}/desks/${desk}/audit`, undefined)
      const found = await send('GET', about(items[0].username), undefined)
      expect(found.resources.Patient.length).toBe(1)
    })

    it('P14: goes from the log of personal data, also where whoever erases is the person', async () => {
      const { account } = await busy('canaryself')
      await erase('canaryself', {}, account)
      await expect.poll(() => tablesWith('canaryself'), { timeout: 5000 }).toEqual([])
      const log = await send('GET', `${BASE}/privacy/log?action=erase&limit=1`, undefined)
      expect(log.items[0].actor).toEqual({ id: account.id, username: expect.stringMatching(/^p-/) })
    })

    it('P14: stays on requests that came later, where they share a row with those before', async () => {
      await busy('canaryheir')
      await erase('canaryheir')
      await expect.poll(() => tablesWith('canaryheir')).toEqual([])
      const { journal } = server().kernel.get(StoreCapability)
      const erasedAt = server().clock.now()
      const at = (ms: number) => new Date(erasedAt + ms).toISOString()
      const shared = {
        id: '01a20000-0000-7000-8000-000000003abc',
        username: 'canaryheir',
        action: 'auth.me',
        transport: 'rest',
        remote_addr: '192.0.2.1',
        status_code: 200,
        duration_ms: 1,
        timestamp: at(5000),
        earliest: at(-9000),
        earlier: [
          [0, 14_000, 4],
          [1, 1000, 3],
          [2, 6000, 2],
        ],
      }
      await journal.transaction((writes) => writes.insert({ table: requestLog(shared), values: shared }))
      server().clock.advance(10_000)
      const third = await startSecond(server().database, server().clock, [], config)
      const requests = async (query: string) => {
        const { items } = await send('GET', `/api/v1/admin/audit?action=auth.me&${query}`, undefined)
        return items.map(({ timestamp, durationMs, remoteAddr }: Record<string, unknown>) => [
          timestamp,
          durationMs,
          remoteAddr,
        ])
      }
      await expect
        .poll(() => requests('username=canaryheir'))
        .toEqual([
          [at(5000), 1, '192.0.2.1'],
          [at(4000), 3, '192.0.2.1'],
        ])
      expect(await requests(`after=${at(-9001)}&before=${at(0)}`)).toEqual([
        [at(-1000), 2, null],
        [at(-9000), 4, null],
      ])
      await third.stop()
    })

    it('P14: becomes it on every server, in what a request has left that is written later, and at the next start', async () => {
      const start = () => startSecond(server().database, server().clock, [], config)
      const second = await start()
      const { account } = await busy('canarytwo')
      await second.request('GET', '/api/v1/auth/me', { token: account.token })
      await erase('canarytwo')
      await second.stop()
      await expect.poll(() => tablesWith('canarytwo'), { timeout: 5000 }).toEqual([])
      // What a server writes that had waited, or what one has left undone that is gone.
      const { journal } = server().kernel.get(StoreCapability)
      const late = {
        id: '01a20000-0000-7000-8000-000000000001',
        username: 'canarytwo',
        action: 'auth.me',
        transport: 'rest',
        remote_addr: '192.0.2.1',
        status_code: 200,
        duration_ms: 1,
        timestamp: new Date(server().clock.now()).toISOString(),
      }
      await journal.transaction((writes) => writes.insert({ table: requestLog(late), values: late }))
      expect(await tablesWith('canarytwo')).toEqual(['svc_audit'])
      const marks = async () =>
        JSON.parse((await rowsKept(server().database)).get('svc_audit_erased') ?? '[]')
      expect((await marks()).length).toBeGreaterThan(0)
      server().clock.advance(61_000)
      const third = await start()
      await expect.poll(() => tablesWith('canarytwo'), { timeout: 5000 }).toEqual([])
      await expect.poll(marks).toEqual([])
      await third.stop()
    })

    it('P14: is nowhere in what the account was writing by another server as it went', async () => {
      const second = await startSecond(server().database, server().clock, [], config)
      const { account, desk } = await busy('canaryrace')
      const gate = hold(second.kernel.get(StoreCapability), 'clinic_desk')
      const writing = second.request('PATCH', `${BASE}/desks/${desk}`, {
        token: account.token,
        body: { title: 'Ash', size: 9 },
      })
      await gate.reached
      const erasing = erase('canaryrace')
      // It waits for the write, or is over before it where it does not.
      await Promise.race([erasing, delay(700)])
      gate.open()
      expect((await writing).status).toBe(200)
      await erasing
      await expect.poll(() => tablesWith('canaryrace'), { timeout: 5000 }).toEqual([])
      const { items } = await send('GET', `${BASE}/desks/${desk}/audit`, undefined)
      expect(items.length).toBe(3)
      // What comes behind is nobody's.
      await second.request('PATCH', `${BASE}/desks/${desk}`, {
        token: account.token,
        body: { title: 'Yew' },
      })
      await second.stop()
      await expect.poll(() => tablesWith('canaryrace'), { timeout: 5000 }).toEqual([])
    })

    it('P14: becomes it at once where columns of sheets say who has added them, on every server, and is never written back', async () => {
      const [name, columns] = ['canarycolumn', '/api/v1/ward/boards/columns']
      const { account } = await busy(name)
      await send('POST', columns, { name: 'extra', type: 'string' }, account)
      const second = await startSecond(server().database, server().clock, [], config)
      const [{ request: one }, { request: other }] = [server(), second]
      const authors = async (request: typeof one) => {
        const get = async (path: string) => (await request('GET', path, { token: dpo.token })).body.data
        return [
          (await get(columns)).items[0].createdBy,
          (await get(`${columns}/extra`)).createdBy,
          (await get('/api/v1/domains/ward/export')).dynamicColumns[0].createdBy,
        ]
      }
      const { id } = account
      for (const request of [one, other])
        expect(await authors(request)).toEqual(Array.from({ length: 3 }, () => ({ id, username: name })))
      await erase(name)
      const createdBy = { id, username: expect.stringMatching(/^p-[a-z2-7]{16}$/) }
      for (const request of [one, other])
        expect(await authors(request)).toEqual([createdBy, createdBy, createdBy])
      const body = { label: 'More' }
      const changed = await other('PATCH', `${columns}/extra`, { token: dpo.token, body })
      expect(changed.body.data).toMatchObject({ label: 'More', createdBy })
      await send('PATCH', `${columns}/extra`, { name: 'other' })
      await expect.poll(() => tablesWith(name), { timeout: 5000 }).toEqual([])
      await second.stop()
    })

    it('P14: of somebody else who takes it later stays', async () => {
      await busy('canaryagain')
      await erase('canaryagain')
      await expect.poll(() => tablesWith('canaryagain')).toEqual([])
      server().clock.advance(2000)
      const { desk } = await busy('canaryagain')
      const { items } = await send('GET', `${BASE}/desks/${desk}/audit`, undefined)
      expect(items[0].username).toBe('canaryagain')
      const requests = await send('GET', '/api/v1/admin/audit?username=canaryagain', undefined)
      expect(requests.items[0].remoteAddr).toBe('127.0.0.1')
    })

    it('P15: is in no file of the database once these are rewritten', async () => {
      await busy('canarybytes')
      await erase('canarybytes')
      await server().kernel.callAs(SYSTEM)('jobs.tick', {})
      await expect
        .poll(async () => (await everythingKept(server().database)).includes('canarybytes'), {
          timeout: 10_000,
        })
        .toBe(false)
    })
  })
}
