import { describe, expect, it } from 'vitest'
import type { Model } from '../model/model.ts'
import { createReport } from '../model/report.ts'
import { addedActionsApart } from './added-actions.ts'

/** A model of one resource at `collection`, and of keys with actions at the routes of each. */
const modelOf = (collection: string, keys: Readonly<Record<string, readonly string[]>>) =>
  ({
    name: 'shop',
    prefixes: [''],
    parts: Object.entries(keys).map(([key, routes]) => ({
      key,
      part: { actions: [{ name: 'read', routes: routes.map((route) => `GET ${route}`) }] },
    })),
    resources: new Map([
      [
        'Note',
        {
          name: 'Note',
          slug: 'note',
          actionPrefix: 'svc.shop.Note.',
          api: { paths: [collection], directPaths: [] },
          definition: {},
        },
      ],
    ]),
  }) as unknown as Model

function told(collection: string, keys: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const report = createReport()
  addedActionsApart(modelOf(collection, keys), report)
  return report.problems.map(({ message }) => message)
}

describe('a collection and the actions of keys of the domain', () => {
  it.each([
    ['/boards', '/boards'],
    ['/boards', '/boards/:name'],
    ['/boards', '/boards/:name/news/latest'],
    ['/boards/cheap', '/boards/:name'],
    ['/boards/cheap', '/:kind/cheap/news'],
    ['/boards', '/:kind'],
    ['/orgs/:org/boards', '/orgs/new/boards'],
    ['/orgs/:org/boards', '/orgs/*path'],
    ['/files/a/b/c', '/files/*path'],
    ['/files', '/files/*path'],
    ['/files', '/*path'],
  ])('%s gives way to %s', (collection, route) => {
    expect(told(collection, { other: ['/elsewhere'], key: [route] })).toEqual([
      `'Note' would answer at '${collection}', where the key 'key' does`,
    ])
  })

  it.each([
    ['/boards/cheap', '/boards'],
    ['/boards/cheap', '/boards/dear'],
    ['/boards/cheap/news', '/boards/:name'],
    ['/board', '/boards'],
    ['/files', '/filed/*path'],
    ['/orgs/:org/boards', '/orgs/new'],
  ])('%s stands beside %s', (collection, route) => {
    expect(told(collection, { key: [route] })).toEqual([])
  })

  it('tell of the first that is in the way', () => {
    const keys = { first: ['/else'], second: ['/boards/:name'], third: ['/boards/cheap', '/boards/*path'] }
    expect(told('/boards/cheap', keys)).toEqual([
      "'Note' would answer at '/boards/cheap', where the key 'second' does",
    ])
  })
})
