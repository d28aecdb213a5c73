import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

it.each(['greeter.js', 'crawlers.js', 'isbn.js', 'spot.js', 'tracer.js', 'shelf.js', 'postcards.js'])(
  'the plugin guide shows %s as the tests run it',
  (name) => {
    expect(read('docs/plugin-guide.md')).toContain(read(`test/fixtures/third-party-plugin/${name}`))
  },
)

it.each([
  ['automation', 'telegrams.js'],
  ['blocks', 'boards.js'],
  ['expressions', 'stickers.js'],
  ['files', 'chest.js'],
  ['notifications', 'pager.js'],
  ['records', 'receipts.js'],
  ['store', 'parcels.js'],
])('the chapter on %s shows %s as the tests run it', (chapter, name) => {
  expect(read(`docs/plugin-guide/${chapter}.md`)).toContain(read(`test/fixtures/third-party-plugin/${name}`))
})
