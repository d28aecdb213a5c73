import { readFileSync } from 'node:fs'
import { createLanguage } from '@svc/domain/contract'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, type TestKernel, useTestKernel } from '../../kit/test-kernel.ts'

// A reader tries an operation with the example that its body has: the server takes it as it is. The keys of other
// records are the only part that the reader has to put in, and only where a record cannot be without.

const WORKSHOP = readFileSync(
  new URL('../../../apps/server/examples/workshop/domain.yaml', import.meta.url),
  'utf8',
)

/** Every role that the definitions name: examples hold nothing that some of those who may create could not write. */
const ROLES = ['admin', 'manager', 'frontdesk', 'mechanic']

const { types } = createLanguage()
const PLAIN = types.all.map(({ name }) => `        plain_${name}: ${name}`).join('\n')
const NEEDED = types.all
  .filter(({ generated }) => !generated)
  .map(({ name }) => `        needed_${name}: { type: ${name}, required: true }`)
  .join('\n')

const EVERYTHING = `
domain:
  name: everything
  version: '1.0.0'
  enums: { Size: { values: [small, large] } }
  blocks: { quote: { fields: { text: { type: string, required: true }, by: string } } }
  resources:
    Plain:
      object:
${PLAIN}
    Needed:
      object:
${NEEDED}
    Bounded:
      object:
        short: { type: string, required: true, maxLength: 3 }
        long: { type: text, required: true, minLength: 200 }
        code: { type: string, required: true, pattern: '^(AB|CD)-[0-9]{2,4}(x|y)?$' }
        padded: { type: string, required: true, pattern: '^[a-z]+$', minLength: 12 }
        escaped: { type: string, required: true, pattern: '^\\d{3}\\.\\w+\\s?[^a-z]$' }
        few: { type: integer, required: true, min: 7, max: 9 }
        below: { type: integer, required: true, max: -3 }
        fine: { type: decimal, required: true, scale: 3, min: 0.005, max: 0.2 }
        later: { type: date, required: true, min: '2090-01-01' }
        secret: { type: password, required: true, minLength: 40, maxLength: 60 }
        size: { type: string, required: true, enum: Size }
        pair: { type: set, required: true, items: string, minItems: 2 }
        sizes: { type: set, required: true, items: { type: string, enum: Size }, minItems: 2, maxItems: 2 }
        place: { type: component, required: true, fields: { city: { type: string, required: true }, at: language } }
        stops: { type: repeater, required: true, fields: { zone: { type: timezone, required: true } } }
        page: { type: blocks, required: true }
        from: { type: date, required: true }
        until: { type: date, required: true }
        kind: { type: string, enum: [none, one], required: true }
        note: { type: string }
      validation:
        order: until > from
        named: kind == 'one'
        bare: note == null
    Parent:
      object:
        code: { type: string, primaryKey: true, pattern: '^P[0-9]$' }
    Child:
      object: { name: { type: string, required: true } }
      relationships: { parent: { type: belongsTo, target: Parent, required: true } }
`

describe.each(STORES)('examples, on $name', (store) => {
  const server = useTestKernel({ store, definition: WORKSHOP })

  it.each(['workshop', 'everything'])('of every input and every change in %s are taken', async (domain) => {
    if (domain === 'everything') await server().submit(EVERYTHING)
    const account = await server().account(`all-${domain}`, ROLES)
    const { refusals, count } = await tried(server(), domain, account)
    expect(refusals).toEqual([])
    expect(count).toBeGreaterThan(4)
  })
})

describe('an example that would be too large', () => {
  const server = useTestKernel({ store: STORES[0]! })

  it('is left out, and the document is written all the same', async () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'string' : `{ type: array, minItems: 10, items: ${nested(depth - 1)} }`
    await server().submit(`
domain:
  name: huge
  version: '1.0.0'
  resources:
    Page:
      object:
        text: { type: text, minLength: 2000000000 }
        secret: { type: password, minLength: 2000000000 }
        list: { type: array, items: string, minItems: 2000000000 }
        deep: ${nested(12)}
        repeats: { type: string, pattern: '^((((((a+)+)+)+)+)+)$' }
        title: string
`)
    const { status, body } = await server().request('GET', '/api/v1/domains/huge/openapi.json')
    expect(status).toBe(200)
    const { example } = body.components.schemas.PageInput
    expect(Object.keys(example)).toEqual(['repeats', 'title'])
    expect(JSON.stringify(body).length).toBeLessThan(500_000)
  })
})

interface Tried {
  readonly refusals: readonly string[]
  /** How many resources have a record now. */
  readonly count: number
}

/** Creates and then changes a record of every resource with its examples, parents first. */
async function tried({ request }: TestKernel, domain: string, account: TestAccount): Promise<Tried> {
  const { token } = account
  const { schemas } = (await request('GET', `/api/v1/domains/${domain}/openapi.json`)).body.components
  const resources = await resourcesOf(request, domain)
  const keys = new Map([['User', account.id]])
  const refusals: string[] = []
  for (const { name, path, references, parent } of inOrder(
    resources,
    (one) => schemas[`${one}Input`].example,
  )) {
    const filled = (example: object) =>
      Object.fromEntries(
        Object.entries(example).map(([field, value]) => [
          field,
          keys.get(references.get(field) ?? '') ?? value,
        ]),
      )
    const at = path.replace(/[{:]\w+}?/g, () => keys.get(parent ?? '') ?? '')
    const made = await request('POST', at, { token, body: filled(schemas[`${name}Input`].example) })
    if (made.status !== 201) refusals.push(`POST ${at}: ${JSON.stringify(made.body)}`)
    if (made.status !== 201) continue
    const key: string = made.body.data.id ?? made.body.data.code
    keys.set(name, key)
    // What can only be added to has no change.
    const { example } = schemas[`${name}Patch`] ?? {}
    const changed = example && (await request('PATCH', `${at}/${key}`, { token, body: filled(example) }))
    if (changed && changed.status !== 200) refusals.push(`PATCH ${at}: ${JSON.stringify(changed.body)}`)
  }
  return { refusals, count: keys.size - 1 }
}

interface Described {
  readonly name: string
  readonly path: string
  /** The fields that hold the key of another record, and whose. */
  readonly references: ReadonlyMap<string, string>
  /** The resource whose key stands in the path. */
  readonly parent: string | undefined
}

async function resourcesOf(request: TestKernel['request'], domain: string): Promise<readonly Described[]> {
  const { resources } = (await request('GET', `/api/v1/domains/${domain}/schema`)).body.data
  return Object.entries<any>(resources).map(([name, { collectionPath, fields, api }]) => ({
    name,
    path: collectionPath,
    references: new Map(
      Object.entries<any>(fields).flatMap(([field, { ref }]) => (ref === undefined ? [] : [[field, ref]])),
    ),
    parent: api.under,
  }))
}

/** Each resource after those that its example refers to. */
function inOrder(resources: readonly Described[], exampleOf: (name: string) => object): readonly Described[] {
  const ordered: Described[] = []
  const isThere = (name: string | undefined) =>
    name === undefined || name === 'User' || ordered.some((one) => one.name === name)
  while (ordered.length < resources.length) {
    const next = resources.find(
      ({ name, references, parent }) =>
        ordered.every((one) => one.name !== name) &&
        isThere(parent) &&
        Object.keys(exampleOf(name)).every((field) => isThere(references.get(field))),
    )
    if (next === undefined) throw new Error('the examples refer to one another in a circle')
    ordered.push(next)
  }
  return ordered
}
