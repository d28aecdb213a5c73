// What somebody asks for is in memory all at once: a query must not end the process, nor keep everybody else waiting.
import { once } from 'node:events'
import { get as getOver, type IncomingMessage } from 'node:http'
import { HttpServerCapability } from '@svc/rest/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { held } from '../kit/held.ts'
import { STORES } from '../kit/stores.ts'
import { useTestKernel } from '../kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: long
  version: '1.0.0'
  resources:
    Writer:
      object: { name: string, about: text }
      permissions: { list: ['*'], get: ['*'], create: [admin] }
    Book:
      object: { title: string }
      relationships: { writer: { type: belongsTo, target: Writer } }
      permissions: { list: ['*'], get: ['*'], create: [admin] }
    Cover:
      features: { export: true, count: true }
      object:
        title: string
        words: { type: text, computed: writer.about }
      relationships: { writer: { type: belongsTo, target: Writer } }
      permissions: { list: ['*'], get: ['*'], create: [admin] }
    Paper:
      object: { text: text }
      permissions: { list: ['*'], get: ['*'], create: [admin] }
  views:
    blurbs:
      source: Book
      permissions: ['*']
      columns: [title, writer.about]
`
const BASE = '/api/v1/long'

/** Letters of several bytes, and some that are two of a string. */
const ABOUT = 'é𝄞x '.repeat(16_000)
/** Those that have one of it each have too much together, by little. */
const MANY = 820
const PAPER = `${'a'.repeat(74_990)}é𝄞`
const PAPERS = 900
/** So much of its time a long answer keeps everybody else waiting at most, where nothing else does. */
const SHARE = 1 / 7

for (const store of STORES) {
  describe(`long answers on ${store.name}`, () => {
    const kernel = useTestKernel({ store, definition: DEFINITION })

    const make = async (path: string, body: unknown): Promise<any> => {
      const { request, admin: token } = kernel()
      const answer = await request('POST', `${BASE}${path}`, { token, body })
      expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).toBe(201)
      return answer.body.data
    }
    const get = async (path: string) => {
      const http = kernel().kernel.get(HttpServerCapability)
      return http.fetch(new Request(new URL(`${BASE}${path}`, http.url())))
    }
    const codeOf = async (path: string) => {
      const { status, body } = await kernel().request('GET', `${BASE}${path}`)
      return [status, body.error_code]
    }

    beforeAll(async () => {
      const { id: writerId } = await make('/writers', { name: 'Ann', about: ABOUT })
      const rows = Array.from({ length: MANY }, (_, at) => ({ title: `t${at}`, writerId }))
      await make('/books/bulk', rows)
      for (let at = 0; at < MANY; at += 82) await make('/covers/bulk', rows.slice(at, at + 82))
      const papers = Array.from({ length: 12 }, () => ({ text: PAPER }))
      for (let at = 0; at < PAPERS; at += papers.length) await make('/papers/bulk', papers)
    })

    it('one record that hundreds include is not written hundreds of times', async () => {
      const { status, body } = await kernel().request('GET', `${BASE}/books?include=writer&limit=1000`)
      expect([status, body.error_code]).toEqual([400, 'INVALID_QUERY'])
      expect(body.error_message).toContain("'limit'")
      const some = await kernel().request('GET', `${BASE}/books?include=writer&limit=50`)
      expect(some.body.data.items).toHaveLength(50)
      for (const { writer } of some.body.data.items) expect(writer.about).toBe(ABOUT)
    })

    it('nor one that values are worked out from', async () => {
      expect(await codeOf('/covers?limit=1000')).toEqual([400, 'INVALID_QUERY'])
      expect(await codeOf('/views/blurbs?limit=1000')).toEqual([400, 'INVALID_QUERY'])
      expect(await codeOf('/covers?limit=20')).toEqual([200, undefined])
      expect(await codeOf('/views/blurbs?limit=20')).toEqual([200, undefined])
    })

    it('nor are so many made at once that the answer could not tell of them', async () => {
      const { request, admin: token } = kernel()
      const [{ writerId }] = (await request('GET', `${BASE}/covers?limit=1`)).body.data.items
      const body = Array.from({ length: 900 }, () => ({ title: 'excess', writerId }))
      const { status, body: told } = await request('POST', `${BASE}/covers/bulk`, { token, body })
      expect([status, told.error_code]).toEqual([422, 'BULK_LIMIT_EXCEEDED'])
      const left = await request('GET', `${BASE}/covers/count?filter[title]=excess`)
      expect(left.body.data).toEqual({ total: 0 })
    })

    it('a CSV of it leaves line by line', async () => {
      for (const path of ['/covers/export', '/views/blurbs?format=csv']) {
        const { body } = await get(path)
        const decoder = new TextDecoder()
        let longest = 0
        let lines = 0
        for await (const part of body!) {
          longest = Math.max(longest, part.length)
          lines += decoder.decode(part, { stream: true }).split('\n').length - 1
        }
        expect(longest).toBeLessThan(1_500_000)
        expect(lines).toBe(MANY + 1)
      }
    })

    it('records that are too long together are asked for by fewer', async () => {
      expect(await codeOf('/papers?limit=1000')).toEqual([400, 'INVALID_QUERY'])
      expect(await codeOf('/papers?limit=1000&fields=id')).toEqual([200, undefined])
      expect(await codeOf('/papers?cursor=&limit=1000')).toEqual([400, 'INVALID_QUERY'])
      expect(await codeOf('/papers?limit=1000&sort=-text')).toEqual([400, 'INVALID_QUERY'])
      expect(await codeOf('/papers')).toEqual([200, undefined])
    })

    it('a long answer is written in many turns, and is whole', async () => {
      const shares: number[] = []
      for (let at = 0; at < 3 && !(shares.at(-1)! < SHARE); at += 1) {
        const { ms, took, answer } = await held(async () => {
          const http = kernel().kernel.get(HttpServerCapability)
          const [response] = (await once(getOver(`${http.url()}${BASE}/papers?limit=700`), 'response')) as [
            IncomingMessage,
          ]
          expect(response.statusCode).toBe(200)
          const parts: Buffer[] = []
          for await (const part of response) parts.push(part as Buffer)
          return parts
        })
        const { items } = JSON.parse(Buffer.concat(answer).toString()).data
        expect(items).toHaveLength(700)
        expect(new Set(items.map(({ text }: { text: string }) => text))).toEqual(new Set([PAPER]))
        if (process.env['TELL_HOLDING']) process.stdout.write(`${store.name}: ${ms} of ${took} ms\n`)
        shares.push(ms / took)
      }
      expect(Math.min(...shares)).toBeLessThan(SHARE)
    })
  })
}
