import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SecondServer, startSecond } from '../../kit/second-server.ts'
import { STORES, type TestDatabase } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

const HALL = (version = '1.0.0') => `
domain:
  name: hall
  version: '${version}'
  resources:
    Talk:
      features: { softDelete: true, import: true }
      object: { title: string, status: { type: string, enum: [open, held] }, deletedAt: datetime }
      relationships:
        speakers: { type: belongsToMany, target: Speaker }
      permissions:
        { list: ['*'], get: ['*'], create: [editor], update: [editor], delete: [editor], transitions: { hold: [editor] } }
      stateMachine:
        field: status
        initial: open
        states: { open: { transitions: { hold: { to: held } } }, held: { transitions: {} } }
      api:
        customOperations: [{ name: announce, permissions: [editor], fields: { title: announced } }]
    Speaker:
      object: { name: string }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
`
const TALKS = '/api/v1/hall/talks'
const ADMIN = '/api/v1/admin'

interface Write {
  readonly name: string
  readonly line: (ids: { readonly talk: string; readonly gone: string; readonly speaker: string }) => string
  readonly body?: (ids: { readonly talk: string; readonly speaker: string }) => unknown
}

/** Every way to write a record. */
const WRITES: readonly Write[] = [
  { name: 'create', line: () => `POST ${TALKS}`, body: () => ({ title: 'late' }) },
  { name: 'update', line: ({ talk }) => `PATCH ${TALKS}/${talk}`, body: () => ({ title: 'late' }) },
  { name: 'replacement', line: ({ talk }) => `PUT ${TALKS}/${talk}`, body: () => ({ title: 'late' }) },
  { name: 'deletion', line: ({ talk }) => `DELETE ${TALKS}/${talk}` },
  { name: 'restoration', line: ({ gone }) => `POST ${TALKS}/${gone}/restore` },
  { name: 'transition', line: ({ talk }) => `POST ${TALKS}/${talk}/transitions/hold`, body: () => ({}) },
  { name: 'custom operation', line: ({ talk }) => `POST ${TALKS}/${talk}/announce`, body: () => ({}) },
  { name: 'bulk create', line: () => `POST ${TALKS}/bulk`, body: () => [{ title: 'late' }] },
  {
    name: 'bulk update',
    line: () => `PATCH ${TALKS}/bulk`,
    body: ({ talk }) => ({ ids: [talk], data: { title: 'late' } }),
  },
  { name: 'bulk delete', line: () => `DELETE ${TALKS}/bulk`, body: ({ talk }) => ({ ids: [talk] }) },
  { name: 'import', line: () => `POST ${TALKS}/import`, body: () => [{ title: 'late' }] },
  {
    name: 'link',
    line: ({ talk }) => `POST ${TALKS}/${talk}/speakers`,
    body: ({ speaker }) => ({ speakerId: speaker }),
  },
  { name: 'removal of a link', line: ({ talk, speaker }) => `DELETE ${TALKS}/${talk}/speakers/${speaker}` },
]

/** What administrators write. */
const ADMINISTRATION: [name: string, line: string, body?: unknown][] = [
  ['submit of a definition', 'POST /api/v1/domains', { content: HALL('2.0.0') }],
  ['rollback of a definition', 'POST /api/v1/domains/hall/rollback', {}],
  ['new role', `POST ${ADMIN}/roles`, { name: 'late' }],
  ['removal of a role', `DELETE ${ADMIN}/roles/editor`],
  ['grant', `PUT ${ADMIN}/users/victim/roles`, { roles: ['editor'] }],
  ['suspension', `POST ${ADMIN}/users/victim/suspend`, {}],
  ['end of a suspension', `POST ${ADMIN}/users/victim/unsuspend`, {}],
  ['verification', `POST ${ADMIN}/users/victim/verify`, {}],
  ['end of sessions', `DELETE ${ADMIN}/users/victim/sessions`],
  ['new API key', `POST ${ADMIN}/api-keys`, { name: 'late', roles: ['admin'] }],
]

for (const store of STORES) {
  describe(`several servers on one database: ${store.name}`, () => {
    let database: TestDatabase
    let here: TestKernel
    let there: SecondServer
    let talk: string
    let gone: string
    let speaker: string

    beforeAll(async () => {
      database = await store.open()
      here = await startTestKernel({
        store: { ...store, open: () => Promise.resolve(database) },
        definition: HALL(),
      })
      // A version to go back to.
      await here.submit(HALL('1.1.0'))
      there = await startSecond(database, here.clock)
      const { token } = await here.account('maker', ['editor'])
      const make = async (path: string, body: object): Promise<string> =>
        (await here.request('POST', path, { token, body })).body.data.id
      talk = await make(TALKS, { title: 'first' })
      gone = await make(TALKS, { title: 'gone' })
      speaker = await make('/api/v1/hall/speakers', { name: 'Ada' })
      await here.request('DELETE', `${TALKS}/${gone}`, { token })
      await here.request('POST', `${TALKS}/${talk}/speakers`, { token, body: { speakerId: speaker } })
      await here.account('victim')
    })
    afterAll(async () => {
      await there.stop()
      await here.stop()
    })

    let made = 0
    /** An account whose token the other server has believed, and goes on to believe while the clock stands still. */
    const hot = async (...roles: string[]) => {
      const account = { name: `user${++made}`, ...(await here.account(`user${made}`, roles)) }
      expect((await there.request('GET', '/api/v1/auth/me', account)).status).toBe(200)
      return account
    }
    const admin = async (line: string, body?: unknown) => {
      const [method = '', path = ''] = line.split(' ')
      const answer = await here.request(method, path, {
        token: here.admin,
        ...(body !== undefined && { body }),
      })
      expect(answer.status).toBeLessThan(300)
    }
    const sent = async (line: string, token: string, body?: unknown) => {
      const [method = '', path = ''] = line.split(' ')
      const answer = await there.request(method, path, { token, ...(body !== undefined && { body }) })
      return answer.status < 300 ? answer.status : `${answer.status} ${answer.body.error_code}`
    }
    const stored = async () => (await here.request('GET', `${TALKS}?include=speakers&sort=id`)).body.data

    it.each(WRITES)(
      'a $name asks in its own transaction whether a role still stands [5.6]',
      async (write) => {
        const { name, token } = await hot('editor')
        const before = await stored()
        await admin(`PUT ${ADMIN}/users/${name}/roles`, { roles: [] })
        const ids = { talk, gone, speaker }
        expect(await sent(write.line(ids), token, write.body?.(ids))).toBe('403 FORBIDDEN')
        expect(await stored()).toEqual(before)
      },
    )

    it.each(ADMINISTRATION)(
      'a %s asks in its own transaction whether the administrator still is one [5.6]',
      async (_, line, body) => {
        const { name, token } = await hot('admin')
        await admin(`PUT ${ADMIN}/users/${name}/roles`, { roles: [] })
        expect(await sent(line, token, body)).toBe('403 FORBIDDEN')
      },
    )

    it('a write is refused at once to whom another server suspends, signs out or removes [5.6]', async () => {
      const suspended = await hot('editor')
      await admin(`POST ${ADMIN}/users/${suspended.name}/suspend`, {})
      expect(await sent(`POST ${TALKS}`, suspended.token, {})).toBe('403 USER_SUSPENDED')
      const signedOut = await hot('editor')
      await admin(`DELETE ${ADMIN}/users/${signedOut.name}/sessions`)
      expect(await sent(`POST ${TALKS}`, signedOut.token, {})).toBe('401 TOKEN_INVALID')
      const removed = await hot('editor')
      await here.request('DELETE', '/api/v1/auth/account', { token: removed.token })
      expect(await sent(`POST ${TALKS}`, removed.token, {})).toBe('401 TOKEN_INVALID')
    })

    it('a write of an API key that another server removed is refused at once [5.6]', async () => {
      const body = { name: 'machine', roles: ['editor'] }
      const { body: answer } = await here.request('POST', `${ADMIN}/api-keys`, { token: here.admin, body })
      const { id, key } = answer.data
      expect(await sent(`POST ${TALKS}`, key, { title: 'by a machine' })).toBe(201)
      await admin(`DELETE ${ADMIN}/api-keys/${id}`)
      expect(await sent(`POST ${TALKS}`, key, { title: 'too late' })).toBe('401 TOKEN_INVALID')
    })

    it('a write goes on, once, where another server changed somebody else', async () => {
      const writer = await hot('editor')
      const other = await hot('editor')
      await admin(`POST ${ADMIN}/users/${other.name}/suspend`, {})
      const { count } = await stored()
      expect(await sent(`POST ${TALKS}`, writer.token, { title: 'on time' })).toBe(201)
      expect((await stored()).count).toBe(count + 1)
    })

    it('a stranger may write what everybody may, with a token that is no good any more', async () => {
      const { name, token } = await hot()
      await admin(`DELETE ${ADMIN}/users/${name}/sessions`)
      expect(await sent('POST /api/v1/hall/speakers', token, { name: 'Ben' })).toBe(201)
    })

    it('a read is refused within 100 ms of what another server took [5.6]', async () => {
      const { name, token } = await hot('admin')
      const users = () => sent(`GET ${ADMIN}/users`, token)
      expect(await users()).toBe(200)
      await admin(`PUT ${ADMIN}/users/${name}/roles`, { roles: [] })
      here.clock.advance(100)
      expect(await users()).toBe('403 FORBIDDEN')
      await admin(`POST ${ADMIN}/users/${name}/suspend`, {})
      here.clock.advance(100)
      expect(await users()).toBe('403 USER_SUSPENDED')
    })
  })
}
