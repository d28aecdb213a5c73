import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestAnswer } from '../kit/request.ts'
import { STORES } from '../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../kit/test-kernel.ts'
import { IS_LONG, tell, timed, withoutRescue } from './attack.ts'

const OPEN = `{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }`
const YARD = `
domain:
  name: yard
  version: '1'
  resources:
    Crate:
      object: { code: { type: string, unique: true }, label: string }
      permissions: ${OPEN}
`
const BULK = '/api/v1/yard/crates/bulk'
const ROWS = IS_LONG ? 400 : 40
const PATIENCE_MS = 120_000

/** Every second time the other way round. */
const opposed = <T>(count: number, rows: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: count }, (_, at) => (at % 2 === 0 ? rows : rows.toReversed()))
const statuses = (answers: readonly TestAnswer[]) => [...new Set(answers.map(({ status }) => status))]
const codes = (name: string) => Array.from({ length: ROWS }, (_, at) => ({ code: `${name} ${at}` }))

/** Makes crates; answers their keys. */
async function make(server: TestKernel, name: string): Promise<readonly string[]> {
  const { body } = await server.request('POST', BULK, { body: { items: codes(name) } })
  return body.data.items.map(({ id }: { id: string }) => id)
}

/** Sends a bulk that changes crates. */
const change = (server: TestKernel, ids: readonly string[], at: number) =>
  server.request('PATCH', BULK, { body: { ids, data: { label: `by ${at}` } } })

for (const store of STORES) {
  describe(`bulks over the same rows in opposite order, where nobody ends a deadlock, on ${store.name}`, () => {
    let server: TestKernel
    let ids: readonly string[]
    beforeAll(async () => {
      server = await startTestKernel({ store: withoutRescue(store), definition: YARD })
      ids = await make(server, 'first')
    })
    afterAll(() => server.stop())

    const changeAll = (all: readonly string[], at: number) => change(server, all, at)

    it.each([2, 4, 30])('change them, %i at once', { timeout: PATIENCE_MS }, async (count) => {
      const { answer, seconds } = await timed(() => Promise.all(opposed(count, ids).map(changeAll)))
      tell(`${store.name}, ${count} opposite bulks of ${ROWS} rows`, seconds)
      expect(statuses(answer)).toEqual([200])
      expect(answer.map(({ body }) => body.data.updated)).toEqual(answer.map(() => ROWS))
    })

    it('change what others delete', { timeout: PATIENCE_MS }, async () => {
      const brief = await make(server, 'brief')
      const removals = opposed(2, brief).map((all) =>
        server.request('DELETE', BULK, { body: { ids: all.toReversed() } }),
      )
      const answers = await Promise.all([...opposed(2, brief).map(changeAll), ...removals])
      expect(statuses(answers)).toEqual([200])
      const deleted = answers.map(({ body }) => body.data.deleted ?? 0)
      expect(deleted.reduce((sum, one) => sum + one)).toBe(ROWS)
    })

    it('change by upsert what others change', { timeout: PATIENCE_MS }, async () => {
      const upserts = opposed(4, codes('first')).map((items) =>
        server.request('POST', BULK, { body: { items, upsert: true, conflict: ['code'] } }),
      )
      const answers = await Promise.all([...upserts, ...opposed(2, ids).map(changeAll)])
      expect(statuses(answers)).toEqual([201, 200])
      expect(answers.map(({ body }) => body.data.updated)).toEqual(answers.map(() => ROWS))
    })
  })

  describe(`bulks that make the same unique values in opposite order on ${store.name}`, () => {
    let server: TestKernel
    beforeAll(async () => void (server = await startTestKernel({ store, definition: YARD })))
    afterAll(() => server.stop())

    it.each([2, 4, 30])('make each once, %i at once', { timeout: PATIENCE_MS }, async (count) => {
      const { answer, seconds } = await timed(() =>
        Promise.all(
          opposed(count, codes(`made by ${count}`)).map((items) =>
            server.request('POST', BULK, { body: { items } }),
          ),
        ),
      )
      tell(`${store.name}, ${count} opposite bulk creates of ${ROWS} rows`, seconds)
      expect(statuses(answer)).toEqual([201])
      const sum = (key: string) => answer.reduce((total, { body }) => total + body.data[key], 0)
      expect([sum('created'), sum('failed')]).toEqual([ROWS, ROWS * (count - 1)])
    })
  })
}

// One writer has no connections to leave.
for (const store of STORES.filter(({ name }) => name === 'postgres')) {
  describe(`thirty bulks on ${store.name}`, () => {
    let server: TestKernel
    beforeAll(async () => void (server = await startTestKernel({ store, definition: YARD })))
    afterAll(() => server.stop())

    it('leave connections to others', { timeout: PATIENCE_MS }, async () => {
      const ids = await make(server, 'first')
      let done = 0
      const bulks = opposed(30, ids).map((all, at) => change(server, all, at).finally(() => (done += 1)))
      await Promise.race(bulks)
      const { answer, seconds } = await timed(() =>
        server.request('POST', '/api/v1/yard/crates', { body: { label: 'small' } }),
      )
      tell(`${store.name}, a create beside 30 bulks`, seconds)
      expect([answer.status, done < bulks.length]).toEqual([201, true])
      expect(statuses(await Promise.all(bulks))).toEqual([200])
    })
  })
}
