import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../kit/test-kernel.ts'
import { IS_LONG, tell, timed } from './attack.ts'

const OPEN = `{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }`
const ARCHIVE = `
domain:
  name: archive
  version: '1'
  resources:
    Paper:
      features: { softDelete: true, search: true, import: true }
      object:
        code: { type: string, unique: true }
        text: string
        link: url
        createdAt: string
        deletedAt: datetime
      indexes:
        - { fields: [text] }
        - { fields: [link, text, code], unique: true }
      permissions: ${OPEN}
    Keyed:
      object: { name: { type: string, primaryKey: true } }
      permissions: ${OPEN}
`
const PAPERS = '/api/v1/archive/papers'
const COUNT = IS_LONG ? 500 : 30
const PATIENCE_MS = 120_000

/** A text that no index takes, however it is compressed. */
const noise = (characters: number): string =>
  randomBytes(characters).toString('base64url').slice(0, characters)

for (const store of STORES) {
  describe(`long texts in unique fields on ${store.name}`, () => {
    let server: TestKernel
    beforeAll(async () => void (server = await startTestKernel({ store, definition: ARCHIVE })))
    afterAll(() => server.stop())

    const send = (method: string, path: string, body?: unknown) =>
      server.request(method, path, body === undefined ? {} : { body })
    const paper = (length: number) => {
      const text = noise(length)
      return { code: text, text, link: `https://example.org/${text}`, createdAt: text }
    }
    const refusal = async (body: unknown, method = 'POST', path = PAPERS) => {
      const { status, body: answer } = await send(method, path, body)
      return [status, answer.error_code, answer.errors?.[0]?.field]
    }

    it.each([64, 96, 97, 2_700, 4_096, 100_000])(
      'of %i characters are stored, found, and refused where they repeat',
      { timeout: PATIENCE_MS },
      async (length) => {
        const body = paper(length)
        const made = await send('POST', PAPERS, body)
        expect([made.status, made.body.data.code]).toEqual([201, body.code])
        expect(await refusal({ code: body.code })).toEqual([409, 'DUPLICATE', 'code'])
        expect(await refusal({ ...body, code: null })).toEqual([201, undefined, undefined])
        const query = new URLSearchParams({ 'filter[code]': body.code })
        const found = await send('GET', `${PAPERS}?${query}`)
        expect(found.body.data.items.map(({ id }: { id: string }) => id)).toEqual([made.body.data.id])
        const items = [{ code: body.code, text: 'changed' }]
        const upsert = await send('POST', `${PAPERS}/bulk`, { items, upsert: true, conflict: ['code'] })
        expect(upsert.body.data).toMatchObject({ updated: 1, items: [{ id: made.body.data.id }] })
      },
    )

    it('clash when they are restored', async () => {
      const { code } = paper(4_096)
      const body = { code }
      const { id } = (await send('POST', PAPERS, body)).body.data
      await send('DELETE', `${PAPERS}/${id}`)
      expect((await send('POST', PAPERS, body)).status).toBe(201)
      expect(await refusal(undefined, 'POST', `${PAPERS}/${id}/restore`)).toEqual([409, 'DUPLICATE', 'code'])
    })

    it('are put in order, page by page', { timeout: PATIENCE_MS }, async () => {
      const start = noise(120)
      const items = Array.from({ length: COUNT }, () => ({ code: start + noise(3_000), text: start }))
      const { seconds } = await timed(async () => {
        // As many as a body has room for.
        for (let at = 0; at < COUNT; at += 100) {
          const part = items.slice(at, at + 100)
          const { body } = await send('POST', `${PAPERS}/bulk`, { items: part })
          expect(body.data.created).toBe(part.length)
        }
      })
      tell(`${store.name}, ${COUNT} unique texts of 3,120 characters`, seconds)
      const read: string[] = []
      let cursor: string | null = ''
      const paged = await timed(async () => {
        while (cursor !== null) {
          const query = new URLSearchParams({ 'filter[text]': start, sort: '-code', limit: '7', cursor })
          const { body } = await send('GET', `${PAPERS}?${query}`)
          read.push(...body.data.items.map(({ code }: { code: string }) => code))
          cursor = body.data.nextCursor
        }
      })
      tell(`${store.name}, read in order, 7 at a time`, paged.seconds)
      const wanted = items.map(({ code }) => code).toSorted((a, b) => (a < b ? 1 : -1))
      expect(read).toEqual(wanted)
    })

    it('make no key of more than 255 characters', async () => {
      const keyed = '/api/v1/archive/keyeds'
      expect((await send('POST', keyed, { name: '𐍈'.repeat(255) })).status).toBe(201)
      const name = 'k'.repeat(256)
      expect(await refusal({ name }, 'POST', keyed)).toEqual([422, 'VALIDATION_ERROR', 'name'])
    })
  })
}
