import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../kit/test-kernel.ts'
import { IS_LONG, tell, timed } from './attack.ts'

const PRESS = `
domain:
  name: press
  version: '1'
  resources:
    Story:
      features: { import: true }
      object: { title: string, slug: { type: slug, from: title, unique: true } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const STORIES = '/api/v1/press/stories'
const ROWS = IS_LONG ? 1000 : 200
const PATIENCE_MS = 120_000

for (const store of STORES) {
  describe(`stories of equal titles on ${store.name}`, () => {
    let server: TestKernel
    beforeAll(async () => void (server = await startTestKernel({ store, definition: PRESS })))
    afterAll(() => server.stop())

    const slugs = (title: string) => [
      title,
      ...Array.from({ length: ROWS - 1 }, (_, at) => `${title}-${at + 2}`),
    ]
    const rows = (title: string) => Array.from({ length: ROWS }, () => ({ title }))
    const create = (body: unknown, path = '') => server.request('POST', STORIES + path, { body })

    it.each([
      ['a bulk', 'bulk', (items: readonly object[]) => ({ items })],
      ['an import', 'import', (items: readonly object[]) => items],
    ])('get one number after the other in %s', { timeout: PATIENCE_MS }, async (what, title, bodyOf) => {
      const { answer, seconds } = await timed(() => create(bodyOf(rows(title)), `/${title}`))
      tell(`${store.name}, ${ROWS} equal titles in ${what}`, seconds)
      expect(answer.body.data.items.map(({ slug }: { slug: string }) => slug)).toEqual(slugs(title))
    })

    it('get one number after the other, one by one', { timeout: PATIENCE_MS }, async () => {
      const made: string[] = []
      const { seconds } = await timed(async () => {
        for (const body of rows('single')) made.push((await create(body)).body.data.slug)
      })
      tell(`${store.name}, ${ROWS} equal titles one by one`, seconds)
      expect(made).toEqual(slugs('single'))
    })

    it('get each number once, ten at a time', { timeout: PATIENCE_MS }, async () => {
      const left = [...rows('raced')]
      const made: string[] = []
      const { seconds } = await timed(() =>
        Promise.all(
          Array.from({ length: 10 }, async () => {
            for (let body = left.pop(); body !== undefined; body = left.pop())
              made.push((await create(body)).body.data.slug)
          }),
        ),
      )
      tell(`${store.name}, ${ROWS} equal titles, ten at a time`, seconds)
      expect(made.toSorted()).toEqual(slugs('raced').toSorted())
    })
  })
}
