import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const pages = [
  join(ROOT, 'README.md'),
  join(ROOT, 'CHANGELOG.md'),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(ROOT, 'docs', name)),
]

const linksOf = (page: string): readonly string[] =>
  [
    ...readFileSync(page, 'utf8')
      .replaceAll(/^```.*?^```$/gms, '')
      .matchAll(/\]\(([^)#\s]+)[^)]*\)/g),
  ]
    .map(([, to = '']) => to)
    .filter((to) => !/^[a-z]+:/.test(to))

it.each(pages.map((page) => relative(ROOT, page)))('%s leads to files that are there', (page) => {
  const missing = linksOf(join(ROOT, page)).filter((to) => !existsSync(join(ROOT, dirname(page), to)))
  expect(missing).toEqual([])
})

it('every page is reached from the first ones, by way of others', () => {
  const reached = new Set([join(ROOT, 'README.md'), join(ROOT, 'docs/README.md')])
  for (const page of reached)
    for (const to of linksOf(page).map((link) => join(dirname(page), link)))
      if (to.endsWith('.md') && existsSync(to)) reached.add(to)
  const lost = pages.filter(
    (page) => page.includes('/docs/') && !page.includes('/decisions/') && !reached.has(page),
  )
  expect(lost.map((page) => relative(ROOT, page))).toEqual([])
})
