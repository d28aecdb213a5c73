import { definePlugin } from '@svc/kernel'
import { type Mail, MailerCapability } from '@svc/mail/contract'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { type Options, PASSWORD, type Response, startServer, type TestServer } from './auth.testkit.ts'

const NEW_PASSWORD = 'Battery-staple-8'
const ada = { username: 'ada', email: 'ada@example.com', password: PASSWORD }
const post = (server: TestServer, path: string, body: unknown, token?: string) =>
  server.request(`POST /api/v1/auth/${path}`, token === undefined ? { body } : { body, token })
const outcome = ({ status, body }: Response) => [status, body.error_code ?? body.data]

/** Keeps the mails that would have left. */
function postbox() {
  const mails: Mail[] = []
  const plugin = definePlugin({
    name: 'mail',
    phase: 'auth',
    provides: MailerCapability,
    setup: () => ({
      enabled: true,
      send: (mail: Mail) => void mails.push(mail),
      deliver: () => Promise.reject(new Error('letters of accounts are sent')),
    }),
  })
  return { mails, plugins: [plugin] }
}

for (const store of STORES) {
  const start = (options?: Options) => startServer(store, options)

  describe(`registration on ${store.name}`, () => {
    it('makes an account without roles and signs its owner in', async () => {
      const server = await start()
      const { status, body } = await post(server, 'register', ada)
      expect(status).toBe(201)
      expect(body.data).toMatchObject({
        token_type: 'Bearer',
        roles: [],
        user: { username: 'ada', email: 'ada@example.com', status: 'active', verified: false, roles: [] },
      })
      const me = await server.request('GET /api/v1/auth/me', { token: body.data.access_token })
      expect(me.body.data).toEqual(body.data.user)
    })

    it('refuses a name or an address that is taken, whatever its case', async () => {
      const server = await start()
      await post(server, 'register', ada)
      for (const more of [
        { username: 'ADA', email: 'b@example.com' },
        { username: 'bob', email: 'ADA@Example.com' },
      ])
        expect(outcome(await post(server, 'register', { ...ada, ...more }))).toEqual([409, 'USER_EXISTS'])
    })

    it('has one winner among many who want one name at once', async () => {
      const server = await start()
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) => post(server, 'register', { ...ada, email: `a${i}@example.com` })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
    })

    it('lets nobody go by the name of the server, or choose roles', async () => {
      const server = await start()
      expect(outcome(await post(server, 'register', { ...ada, username: 'System' }))).toEqual([
        409,
        'USER_EXISTS',
      ])
      const { body } = await post(server, 'register', { ...ada, roles: ['admin'] })
      expect(body.errors).toEqual([{ field: 'roles', rule: 'unknown', message: expect.any(String) }])
    })

    it('says all that a weak password lacks', async () => {
      const server = await start()
      const weak = await post(server, 'register', { ...ada, password: 'abc' })
      expect(outcome(weak)).toEqual([422, 'WEAK_PASSWORD'])
      expect(weak.body.errors.map(({ rule }: { rule: string }) => rule)).toEqual([
        'minLength',
        'uppercase',
        'digit',
        'special',
      ])
      const relaxed = await start({
        auth: { jwt: { secret: 'x'.repeat(32) }, password: { disable_checking: true } },
      })
      expect((await post(relaxed, 'register', { ...ada, password: 'abc' })).status).toBe(201)
      expect(outcome(await post(relaxed, 'register', { ...ada, password: '' }))).toEqual([
        422,
        'WEAK_PASSWORD',
      ])
    })

    it('refuses names, addresses and passwords out of shape', async () => {
      const server = await start()
      for (const [more, field, rule] of [
        [{ username: 'ab' }, 'username', 'pattern'],
        [{ username: 'a b c' }, 'username', 'pattern'],
        [{ username: 'x'.repeat(65) }, 'username', 'pattern'],
        [{ email: 'nobody' }, 'email', 'format'],
        [{ email: 'a@b' }, 'email', 'format'],
        [{ email: 'a..b@example.com' }, 'email', 'format'],
        [{ email: `${'x'.repeat(65)}@example.com` }, 'email', 'format'],
        [{ email: 'adaı@example.com' }, 'email', 'format'],
        [{ password: 'Aa1!'.repeat(257) }, 'password', 'maxLength'],
      ] as const) {
        const { status, body } = await post(server, 'register', { ...ada, ...more })
        expect([more, status, body.errors]).toEqual([
          more,
          422,
          [{ field, rule, message: expect.any(String) }],
        ])
      }
    })
  })

  describe(`passwords on ${store.name}`, () => {
    it('changes with the current one, and ends the other sessions', async () => {
      const server = await start()
      await server.create('ada')
      const [mine, other] = [await server.login('ada'), await server.login('ada')]
      const change = { current_password: PASSWORD, new_password: NEW_PASSWORD }
      const wrong = await post(
        server,
        'change-password',
        { ...change, current_password: 'no' },
        mine.access_token,
      )
      expect(outcome(wrong)).toEqual([401, 'INVALID_CREDENTIALS'])
      const weak = await post(
        server,
        'change-password',
        { ...change, new_password: 'weak' },
        mine.access_token,
      )
      expect(outcome(weak)).toEqual([422, 'WEAK_PASSWORD'])
      expect(outcome(await post(server, 'change-password', change, mine.access_token))).toEqual([
        200,
        { changed: true },
      ])

      expect((await server.request('GET /api/v1/auth/me', { token: mine.access_token })).status).toBe(200)
      expect((await server.request('GET /api/v1/auth/me', { token: other.access_token })).status).toBe(401)
      expect(outcome(await post(server, 'refresh', { refresh_token: other.refresh_token }))).toEqual([
        401,
        'TOKEN_INVALID',
      ])
      await expect(server.login('ada')).rejects.toThrow('INVALID_CREDENTIALS')
      await server.login('ada', NEW_PASSWORD)
    })

    it('resets with a token, once, and ends every session', async () => {
      const server = await start()
      await server.create('ada')
      const session = await server.login('ada')
      const token = (await post(server, 'forgot-password', { email: 'ADA@example.com' })).body.data
        .reset_token
      const reset = (new_password: string) => post(server, 'reset-password', { token, new_password })
      expect(outcome(await reset('weak'))).toEqual([422, 'WEAK_PASSWORD'])
      const answers = await Promise.all([1, 2, 3, 4].map(() => reset(NEW_PASSWORD)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
      expect((await server.request('GET /api/v1/auth/me', { token: session.access_token })).status).toBe(401)
      await server.login('ada', NEW_PASSWORD)
    })

    it('voids a reset token that ran out, was replaced, or went to an address that changed', async () => {
      const server = await start()
      await server.create('ada')
      const forgot = async (email = 'ada@example.com') =>
        (await post(server, 'forgot-password', { email })).body.data.reset_token
      const reset = async (token: string) =>
        outcome(await post(server, 'reset-password', { token, new_password: NEW_PASSWORD }))
      const refused = [401, 'TOKEN_INVALID']

      const [replaced, expired] = [await forgot(), await forgot()]
      expect(await reset(replaced)).toEqual(refused)
      server.clock.ms += 3_600_000
      expect(await reset(expired)).toEqual(refused)

      const stale = await forgot()
      const { access_token } = await server.login('ada')
      await post(server, 'change-email', { new_email: 'new@example.com' }, access_token)
      expect(await reset(stale)).toEqual(refused)
    })

    it('does not tell whether an address is known', async () => {
      const box = postbox()
      const server = await start({ ...box, environment: 'production' })
      await server.create('ada')
      const known = await post(server, 'forgot-password', { email: 'ADA@example.com' })
      const unknown = await post(server, 'forgot-password', { email: 'bob@example.com' })
      expect([known.status, known.body]).toEqual([unknown.status, unknown.body])
      expect(known.body.data).toEqual({ sent: true })
      await server.kernel.stop()
      expect(box.mails).toMatchObject([{ to: 'ada@example.com', subject: 'Reset your password' }])
    })
  })

  describe(`addresses on ${store.name}`, () => {
    it('are proved with a token, once', async () => {
      const server = await start()
      const { verification_token: token, access_token } = (await post(server, 'register', ada)).body.data
      expect(outcome(await post(server, 'verify-email', { token }))).toEqual([200, { verified: true }])
      expect(outcome(await post(server, 'verify-email', { token }))).toEqual([401, 'TOKEN_INVALID'])
      const me = await server.request('GET /api/v1/auth/me', { token: access_token })
      expect(me.body.data.verified).toBe(true)
      const again = await post(server, 'resend-verification', undefined, access_token)
      expect(outcome(again)).toEqual([409, 'ALREADY_VERIFIED'])
    })

    it('are not proved by a token that went to an earlier address', async () => {
      const server = await start()
      const first = (await post(server, 'register', ada)).body.data
      const changed = await post(server, 'change-email', { new_email: 'new@example.com' }, first.access_token)
      expect(changed.body.data).toEqual({
        email: 'new@example.com',
        verified: false,
        verification_token: expect.any(String),
      })
      expect(outcome(await post(server, 'verify-email', { token: first.verification_token }))).toEqual([
        401,
        'TOKEN_INVALID',
      ])
      const { verification_token: token } = changed.body.data
      expect(outcome(await post(server, 'verify-email', { token }))).toEqual([200, { verified: true }])
    })

    it('cannot be changed to one that is taken', async () => {
      const server = await start()
      await server.create('bob')
      const { access_token } = (await post(server, 'register', ada)).body.data
      const taken = await post(server, 'change-email', { new_email: 'BOB@example.com' }, access_token)
      expect(outcome(taken)).toEqual([409, 'USER_EXISTS'])
    })

    it('are not flooded with mails, whoever asks for them', async () => {
      const box = postbox()
      const server = await start({ ...box, environment: 'production' })
      await server.create('ada')
      for (let i = 0; i < 15; i++) {
        const { body } = await post(server, 'forgot-password', { email: 'ada@example.com' })
        expect(body.data).toEqual({ sent: true })
      }
      await expect.poll(() => box.mails.length).toBe(10)
      // The last token that was sent is still good.
      const token = /^[A-Za-z0-9_-]{43}$/m.exec(box.mails[9]!.text)?.[0]
      const reset = await post(server, 'reset-password', { token, new_password: NEW_PASSWORD })
      expect(reset.status).toBe(200)
      const { access_token } = await server.login('ada', NEW_PASSWORD)
      const address = { new_email: 'victim@example.com' }
      const refused = await post(server, 'change-email', address, access_token)
      expect([refused.status, refused.body.error_code]).toEqual([429, 'RATE_LIMITED'])
      server.clock.ms += 900_000
      await post(server, 'forgot-password', { email: 'ada@example.com' })
      await expect.poll(() => box.mails.length).toBe(11)
    })

    it('get their tokens by mail, which no answer shows', async () => {
      const box = postbox()
      const server = await start({ ...box, environment: 'production' })
      const { data } = (await post(server, 'register', ada)).body
      expect(data.verification_token).toBeUndefined()
      await expect.poll(() => box.mails).toMatchObject([{ to: 'ada@example.com' }])
      const token = /^[A-Za-z0-9_-]{43}$/m.exec(box.mails[0]!.text)?.[0]
      expect((await post(server, 'verify-email', { token })).status).toBe(200)
    })
  })

  describe(`removal on ${store.name}`, () => {
    it('takes the account with its sessions and frees its name', async () => {
      const server = await start()
      await server.create('ada')
      const { access_token: token, refresh_token } = await server.login('ada')
      const removed = await server.request('DELETE /api/v1/auth/account', { token })
      expect([removed.status, removed.body]).toEqual([204, undefined])
      expect((await server.request('GET /api/v1/auth/me', { token })).status).toBe(401)
      expect((await post(server, 'refresh', { refresh_token })).status).toBe(401)
      expect((await post(server, 'register', ada)).status).toBe(201)
    })
  })
}
