import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const pages = [
  join(ROOT, 'README.md'),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(ROOT, 'docs', name)),
]

it('samples ask this server at the address at which it listens by default', () => {
  const asked = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/https?:\/\/[^\s/'"`]+(?=\/(?:api|health)\/)/g)].map(
      ([address]) => `${relative(ROOT, page)}: ${address}`,
    ),
  )
  expect(asked.length).toBeGreaterThan(5)
  expect(asked.filter((one) => !one.endsWith(': http://127.0.0.1:8080'))).toEqual([])
})
