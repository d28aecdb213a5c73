import { describe, expect, it } from 'vitest'
import { useFullHashes } from '../kit/argon2.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { useTestKernel } from '../kit/test-kernel.ts'

const DOORS = `
domain:
  name: house
  version: '1.0.0'
  resources:
    Door:
      object: { name: string, code: { type: password, required: true } }
      permissions: { list: ['*'], create: ['*'] }
`
const BULKS = 4
/** Together more than wait in line for a sign-in. */
const ROWS = 70
const LARGE = 1000
/** A smoke has hashes that cost a fifth. */
const DIVISOR = size('PASSWORD_DIVISOR', { smoke: 5, whole: 1 })
const ATTACKS = [ROWS, LARGE].slice(0, size('PASSWORD_ATTACKS', { smoke: 1, whole: 2 }))

for (const store of STORES) {
  describe(`four bulks full of passwords on ${store.name}`, () => {
    useFullHashes(DIVISOR)
    const server = useTestKernel({ store, definition: DOORS })
    const bulk = (rows: number) =>
      server().request('POST', '/api/v1/house/doors/bulk', {
        body: Array.from({ length: rows }, (_, at) => ({ name: String(at), code: 'open sesame' })),
      })
    const login = async () => {
      const startedAt = performance.now()
      const body = { username: 'admin', password: 'Correct-horse-7' }
      const { status } = await server().request('POST', '/api/v1/auth/login', { body })
      return { status, tookMs: performance.now() - startedAt }
    }
    /** Sends the bulks, and signs in again and again until they are answered. */
    const attack = async (rows: number) => {
      let isOver = false
      const bulks = Promise.all(Array.from({ length: BULKS }, () => bulk(rows))).finally(
        () => (isOver = true),
      )
      const logins = [await login()]
      while (!isOver) logins.push(await login())
      return { answers: await bulks, logins }
    }
    const tell = (rows: number, answers: readonly { status: number }[], times: readonly number[]) => {
      const sorted = times.toSorted((a, b) => a - b)
      const at = (part: number) => sorted[Math.floor(sorted.length * part)]?.toFixed(0)
      const statuses = answers.map(({ status }) => status).join(' ')
      process.stdout.write(
        `${store.name}: ${BULKS} bulks of ${rows} passwords (${statuses}), ` +
          `${times.length} sign-ins meanwhile: median ${at(0.5)} ms, slowest ${sorted.at(-1)?.toFixed(0)} ms\n`,
      )
    }

    it.each(ATTACKS)('keep nobody from signing in: %i rows each', { timeout: 180_000 }, async (rows) => {
      const { answers, logins } = await attack(rows)
      tell(
        rows,
        answers,
        logins.map(({ tookMs }) => tookMs),
      )
      expect(logins.filter(({ status }) => status !== 200)).toEqual([])
      // Done, too much for one request, or too much for now: never a fault of the server.
      for (const { status } of answers) expect([201, 422, 503]).toContain(status)
      const done = answers.filter(({ status }) => status === 201).length
      // While so many passwords are hashed one after the other, a sign-in waits for one of them at the most.
      expect(logins.length).toBeGreaterThanOrEqual((done * rows) / 10)
    })
  })
}
