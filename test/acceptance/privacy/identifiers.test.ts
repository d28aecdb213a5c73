import { beforeAll, describe, expect, it } from 'vitest'
import { HttpServerCapability } from '@svc/rest/contract'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { BASE, clinic } from './practice.ts'

/** What the addresses of an identifier end in, with the methods that there are and ones that there are not. */
const ENDS = [
  '',
  '/export',
  '/erase',
  '/consent',
  '/consent/grant',
  '/consent/withdraw',
  '/rectify',
  '/restrict',
  '/unrestrict',
  '/nothing',
  '/consent/nothing',
  '/',
]
const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']
/** What asks well, what asks badly, and what breaks off. */
const BODIES = [undefined, {}, { reason: 'x' }, { purpose: 'nothing' }, '{', { reason: 'x', dryRun: true }]

/** How the same identifier may be written into a path. */
const WRITTEN: readonly ((word: string) => string)[] = [
  (word) => `/privacy/subject/${word}@example.org`,
  (word) => `/privacy/subject/${word}%40example.org`,
  (word) => `/privacy/subject/%20${word.toUpperCase()}@example.org`,
  (word) => `/privacy/subject/${word}/x@example.org`,
  (word) => `/privacy/subject/${word};a=b`,
  (word) => `/privacy/subject/${encodeURIComponent(encodeURIComponent(`${word}@example.org`))}`,
  (word) => `/privacy/subject/${word.repeat(40)}`,
  (word) => `/privacy/subject/${word}%00`,
  (word) => `/privacy/subject/${word}%ff`,
  (word) => `//privacy//subject//${word}`,
  (word) => `/Privacy/Subject/${word}`,
  (word) => `/%70rivacy/%73ubject/${word}`,
]

for (const store of STORES) {
  describe(`identifiers in addresses on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: clinic({ privacy: 'consent: [{ purpose: news }]' }),
      config: { metrics: { port: 0 } },
    })
    let dpo: TestAccount
    let sent = 0
    const words: string[] = []
    /** A word that stands nowhere else. */
    const canary = () => {
      const word = `canary${words.length}z`
      words.push(word)
      return word
    }
    const ask = async (method: string, path: string, token: string | undefined, body?: unknown) => {
      const http = server().kernel.get(HttpServerCapability)
      const bodied = body !== undefined && !['GET', 'HEAD', 'OPTIONS'].includes(method)
      const headers = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(bodied && { 'content-type': 'application/json' }),
      }
      const answer = await http.fetch(
        new Request(new URL(`${BASE}${path}`, http.url()), {
          method,
          headers,
          ...(bodied && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      )
      await answer.text()
      sent += 1
      expect([method, path, answer.status < 500]).toEqual([method, path, true])
    }

    beforeAll(async () => {
      dpo = await server().account('keeper', ['dpo', 'admin'])
      const tokens = [dpo.token, undefined, 'no token at all']
      let at = 0
      const next = <T>(all: readonly T[]): T => all[(at += 1) % all.length]!
      for (const end of ENDS)
        for (const method of METHODS) {
          const word = canary()
          // Somebody who is there: what is asked of them goes all the way.
          if (method === 'POST')
            await server().request('POST', `${BASE}/patients`, {
              token: dpo.token,
              body: { name: 'somebody', email: `${word}@example.org` },
            })
          await ask(method, `${next(WRITTEN)(word)}${end}`, next(tokens), next(BODIES))
          await ask(method, `${WRITTEN[1]!(word)}${end}`, dpo.token, next(BODIES))
        }
      for (const query of ['identifier', 'identifier[]', 'Identifier', 'q']) {
        const word = canary()
        for (const token of tokens) await ask('GET', `/privacy/log?${query}=${word}@example.org`, token)
        await ask('GET', `/patients?${query}=${word}`, dpo.token)
        await ask('GET', `/patients?filter[email]=${word}@example.org`, dpo.token)
      }
    })

    const found = (text: string) => words.filter((word) => text.toLowerCase().includes(word))

    it('P26: no line of the log tells one, but the pattern of its route', () => {
      const requests = server().log.filter(({ fields }) => 'path' in fields)
      expect(requests.length).toBeGreaterThan(sent / 2)
      const seen = new WeakSet<object>()
      const text = JSON.stringify(server().log, (_, value: unknown) => {
        if (typeof value !== 'object' || value === null) return value
        if (seen.has(value)) return undefined
        seen.add(value)
        return value instanceof Error
          ? { name: value.name, message: value.message, stack: value.stack, cause: value.cause }
          : value
      })
      expect(found(text)).toEqual([])
      expect(text).toContain('/privacy/subject/:identifier/consent/grant')
    })

    it('P26: no metric has one', async () => {
      const place = server().log.find(({ event }) => event === 'metrics.listening')?.fields
      const answer = await fetch(`http://127.0.0.1:${String(place?.['port'])}/metrics`)
      const text = await answer.text()
      expect(answer.status).toBe(200)
      expect(text).toContain('svc_')
      expect(found(text)).toEqual([])
    })

    it('P26: no entry of the request audit has one', async () => {
      const entries: unknown[] = []
      for (let page = 1, isMore = true; isMore; page += 1) {
        const { status, body } = await server().request('GET', `/api/v1/admin/audit?limit=100&page=${page}`, {
          token: server().admin,
        })
        expect(status).toBe(200)
        entries.push(...body.data.items)
        isMore = body.data.items.length === 100
      }
      // What is refused before it is known who asks is on no record.
      expect(entries.length).toBeGreaterThan(20)
      expect(found(JSON.stringify(entries))).toEqual([])
    })
  })
}
