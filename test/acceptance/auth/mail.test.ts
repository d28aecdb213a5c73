import { createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import type { Config } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSmtp, type TestSmtp, tokenIn } from '../../kit/smtp.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel, type TestKernelOptions } from '../../kit/test-kernel.ts'

const AUTH = '/api/v1/auth'
const PASSWORD = 'Correct-horse-7'
const NEW_PASSWORD = 'Battery-staple-8'
const SECRET = 'a secret of tests that is long enough'

const email = (port: number): Config => ({
  enabled: true,
  smtp_host: '127.0.0.1',
  smtp_port: port,
  from_address: 'noreply@example.org',
  use_tls: false,
})
const links = {
  verify_email: 'https://app.example.org/verify?from=mail',
  reset_password: 'https://app.example.org/reset',
}

for (const store of STORES) {
  describe(`mail on ${store.name}`, () => {
    let smtp: TestSmtp
    let server: TestKernel
    const start = (options: Partial<TestKernelOptions> & { readonly config: Config }) =>
      startTestKernel({ store, ...options })

    beforeAll(async () => {
      smtp = await startSmtp()
      const config = { email: email(smtp.port), auth: { jwt: { secret: SECRET }, links } }
      server = await start({ config, environment: 'development' })
    })
    afterAll(async () => {
      await server.stop()
      await smtp.stop()
    })

    const post = (path: string, body: unknown, token?: string) =>
      server.request('POST', `${AUTH}/${path}`, { body, ...(token !== undefined && { token }) })
    const register = async (username: string) => {
      const { body } = await post('register', {
        username,
        email: `${username}@example.com`,
        password: PASSWORD,
      })
      return body.data
    }
    const mailTo = async (address: string, at = 0) => {
      const found = () => smtp.received.filter(({ recipients }) => recipients.includes(address))
      await expect.poll(() => found().length, { timeout: 5_000 }).toBeGreaterThan(at)
      return found()[at]!
    }

    it('brings the token that proves an address, which no answer shows, even in development', async () => {
      const registered = await register('ann')
      expect(registered).not.toHaveProperty('verification_token')
      const mail = await mailTo('ann@example.com')
      expect(mail.mail.subject).toBe('Confirm your email address')
      const token = tokenIn(mail)
      expect(mail.mail.text).toContain(`https://app.example.org/verify?from=mail&token=${token}\n`)
      expect((await post('verify-email', { token })).body.data).toEqual({ verified: true })
      expect((await post('verify-email', { token })).body.error_code).toBe('TOKEN_INVALID')
    })

    it('brings another one on demand, and the last one counts', async () => {
      const { access_token } = await register('bob')
      expect((await post('resend-verification', {}, access_token)).body.data).toEqual({ sent: true })
      const [first, second] = [await mailTo('bob@example.com'), await mailTo('bob@example.com', 1)]
      expect((await post('verify-email', { token: tokenIn(first) })).status).toBe(401)
      expect((await post('verify-email', { token: tokenIn(second) })).status).toBe(200)
    })

    it('goes to a new address when it is changed', async () => {
      const { access_token } = await register('cid')
      const changed = await post('change-email', { new_email: 'cid2@example.com' }, access_token)
      expect(changed.body.data).toEqual({ email: 'cid2@example.com', verified: false })
      const token = tokenIn(await mailTo('cid2@example.com'))
      expect((await post('verify-email', { token })).status).toBe(200)
    })

    it('brings the token that resets a password, to the address that is stored', async () => {
      await register('dan')
      const answer = await post('forgot-password', { email: 'DAN@example.COM' })
      expect(answer.body.data).toEqual({ sent: true })
      const mail = await mailTo('dan@example.com', 1)
      expect(mail.mail.subject).toBe('Reset your password')
      const token = tokenIn(mail)
      expect(mail.mail.text).toContain(`https://app.example.org/reset?token=${token}\n`)
      const reset = await post('reset-password', { token, new_password: NEW_PASSWORD })
      expect(reset.body.data).toEqual({ changed: true })
      expect((await post('login', { username: 'dan', password: NEW_PASSWORD })).status).toBe(200)
    })

    it('does not go where nobody has an account', async () => {
      await post('forgot-password', { email: 'stranger@example.com' })
      await register('eve')
      await mailTo('eve@example.com')
      expect(smtp.received.flatMap(({ recipients }) => recipients)).not.toContain('stranger@example.com')
    })

    it('says nothing that whoever registers could have chosen', async () => {
      const username = 'www.win-a-prize.example.com'
      await post('register', { username, email: 'victim@example.com', password: PASSWORD })
      expect((await mailTo('victim@example.com')).raw).not.toContain('win-a-prize')
    })
  })

  describe(`a mail server that hangs, on ${store.name}`, () => {
    it('delays no answer, and known addresses answer as fast as unknown ones', async () => {
      const sockets: Socket[] = []
      const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
      await once(silent.listen(0, '127.0.0.1'), 'listening')
      const { port } = silent.address() as AddressInfo
      const server = await startTestKernel({ store, config: { email: email(port) } })
      try {
        await server.account('ann')
        const took: Record<'ann' | 'nobody', number[]> = { ann: [], nobody: [] }
        for (let i = 0; i < 30; i++) {
          for (const name of ['ann', 'nobody'] as const) {
            const before = performance.now()
            const answer = await server.request('POST', `${AUTH}/forgot-password`, {
              body: { email: `${name}@example.org` },
            })
            took[name].push(performance.now() - before)
            expect([answer.status, answer.body.data]).toEqual([200, { sent: true }])
          }
        }
        const median = (times: number[]) => times.toSorted((a, b) => a - b)[15]!
        expect(Math.abs(median(took.ann) - median(took.nobody))).toBeLessThan(20)
      } finally {
        await server.stop()
        for (const socket of sockets) socket.destroy()
        silent.close()
      }
    })
  })

  describe(`without mail, on ${store.name}`, () => {
    it.each([
      ['development', true],
      ['production', false],
    ] as const)('tokens are in answers: %s, %s', async (environment, isShown) => {
      const config = { auth: { jwt: { secret: SECRET } } }
      const server = await startTestKernel({ store, environment, config })
      try {
        const send = async (path: string, body: unknown, token?: string) =>
          (await server.request('POST', `${AUTH}/${path}`, { body, ...(token !== undefined && { token }) }))
            .body.data
        const ann = { username: 'ann', email: 'ann@example.com', password: PASSWORD }
        const registered = await send('register', ann)
        const token = registered.access_token
        const answers = [
          registered.verification_token,
          (await send('resend-verification', {}, token)).verification_token,
          (await send('change-email', { new_email: 'ann2@example.com' }, token)).verification_token,
          (await send('forgot-password', { email: 'ann2@example.com' })).reset_token,
        ]
        expect(answers.map((one) => one !== undefined)).toEqual([isShown, isShown, isShown, isShown])
      } finally {
        await server.stop()
      }
    })
  })
}
