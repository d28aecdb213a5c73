import {
  type Block,
  blockKey,
  type BlockStep,
  type DomainAction,
  type DomainBlock,
  DomainsCapability,
  evaluationOf,
  type Expression,
  type ResourceBlock,
  type RowCondition,
} from '@svc/domain/contract'
import { Reply, type Route } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel, useTestKernel } from '../../kit/test-kernel.ts'
import { owning } from './plugin.ts'

const SHELF = `
domain:
  name: shelf
  version: '1'
  resources:
    Item:
      object: { name: string, price: integer, tags: { type: array, items: string }, owner: uuid }
      relationships: { maker: { type: belongsTo, target: Maker } }
      computed: { worth: price * 2 }
      api: { custom: { mark: { permissions: ['*'] } } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Maker: { object: { name: string }, permissions: { create: ['*'] } }
`
const withKey = (lines: string) => SHELF.replace("version: '1'\n", `version: '1'\n${lines}`)

/** What was compiled last. */
const compiled: { rows?: RowCondition | undefined; formula?: Expression | undefined; heard: unknown[] } = {
  heard: [],
}

const Watch = z.strictObject({
  rows: z.string().optional(),
  formula: z.string().optional(),
  when: z.string().optional(),
  seen: z.array(z.string()).optional(),
})

/** A domain block that speaks the expression language in every way that there is. */
const watch: DomainBlock<z.output<typeof Watch>> = {
  on: 'domain',
  key: 'watch',
  schema: Watch,
  compile(written, site) {
    const resource = site.model.resources.get('Item')!
    const { rows, formula, when, seen = [] } = written ?? {}
    compiled.rows =
      rows === undefined
        ? undefined
        : site.rows(rows, ['rows'], {
            resource,
            moment: 'read',
            parameters: new Map([['limit', 'number']]),
          })
    compiled.formula =
      formula === undefined
        ? undefined
        : site.expression(formula, ['formula'], {
            moment: 'read',
            variables: new Map([['trigger', 'unknown']]),
            kind: 'number',
          })
    const condition =
      when === undefined
        ? undefined
        : site.expression(when, ['when'], { resource, moment: 'write', kind: 'boolean' })
    const asked = seen.flatMap(
      (source, at) => site.expression(source, ['seen', at], { resource, moment: 'write' }) ?? [],
    )
    const look =
      (step: string): BlockStep =>
      async (change, writes) => {
        if (asked.length === 0 || change.resource !== resource) return
        const context = await evaluationOf(change, asked, writes)
        compiled.heard.push([step, ...asked.map((one) => one.evaluate(context))])
      }
    const [before, after] = [look('before'), look('after')]
    return {
      beforeWrite: before,
      async afterWrite(change, writes) {
        await after(change, writes)
        if (condition === undefined || change.resource !== resource) return
        const context = await evaluationOf(change, [condition], writes)
        if (condition.holds(context)) compiled.heard.push(change.record?.['name'])
      },
    }
  },
}

const submitTo = ({ request, admin }: TestKernel, content: string) =>
  request('POST', '/api/v1/domains', { token: admin, body: { content } })

for (const store of STORES) {
  describe(`a block of a domain on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [owning(watch)] })

    it('compiles conditions on the writes of a resource that it names', async () => {
      await server().submit(withKey('  watch: { when: price > 10 && previous.price <= 10 }\n'))
      compiled.heard.length = 0
      const { body } = await server().request('POST', '/api/v1/shelf/items', {
        body: { name: 'jar', price: 5 },
      })
      const path = `/api/v1/shelf/items/${body.data.id}`
      await server().request('PATCH', path, { body: { price: 20 } })
      await server().request('PATCH', path, { body: { price: 30 } })
      expect(compiled.heard).toEqual(['jar'])
    })

    it('compiles conditions by which the store picks rows, with parameters of its own', async () => {
      await server().submit(withKey('  watch: { rows: price < limit }\n'))
      const { kernel, clock } = server()
      const { table } = kernel.get(DomainsCapability).model('shelf')!.resources.get('Item')!
      const of = (limit: number) =>
        compiled.rows!.rows({ now: clock.now, parameters: { limit }, rowsOf: 'author' })
      expect(await kernel.get(StoreCapability).count({ table, where: of(100) })).toBe(1)
      expect(await kernel.get(StoreCapability).count({ table, where: of(1) })).toBe(0)
    })

    it('lets both reach related records', async () => {
      await server().submit(withKey("  watch: { rows: maker.name == 'Ada', when: maker.name == 'Ada' }\n"))
      const { kernel, clock, request } = server()
      const makerId = (await request('POST', '/api/v1/shelf/makers', { body: { name: 'Ada' } })).body.data.id
      compiled.heard.length = 0
      for (const body of [{ name: 'box' }, { name: 'lid', makerId }])
        expect(await request('POST', '/api/v1/shelf/items', { body })).toMatchObject({ status: 201 })
      expect(compiled.heard).toEqual(['lid'])
      const { table } = kernel.get(DomainsCapability).model('shelf')!.resources.get('Item')!
      const where = compiled.rows!.rows({ now: clock.now, rowsOf: 'author' })
      expect(await kernel.get(StoreCapability).count({ table, where })).toBe(1)
    })

    it('evaluates conditions in both steps over the record as it will be, and the neighbours that it will have', async () => {
      const { request } = server()
      await server().submit(
        withKey('  watch: { seen: [op, price, worth, maker.name, previous.maker.name] }\n'),
      )
      const makers: string[] = []
      for (const name of ['Ada', 'Bea'])
        makers.push((await request('POST', '/api/v1/shelf/makers', { body: { name } })).body.data.id)
      const [makerId, otherId] = makers
      const heard = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
        compiled.heard.length = 0
        const answer = await request(method, `/api/v1/shelf/items${path}`, body && { body })
        expect(answer.status).toBeLessThan(300)
        return [answer.body?.data?.id, [...compiled.heard]] as const
      }
      const [id, created] = await heard('POST', '', { name: 'jar', price: 1, makerId })
      const seen = (...values: readonly unknown[]) => [
        ['before', ...values],
        ['after', ...values],
      ]
      expect(created).toEqual(seen('create', 1, 2, 'Ada', null))
      const changed = { price: 2, makerId: otherId }
      expect((await heard('PATCH', `/${id}`, changed))[1]).toEqual(seen('update', 2, 4, 'Bea', 'Ada'))
      expect((await heard('POST', `/${id}/mark`, {}))[1]).toEqual(seen('mark', 2, 4, 'Bea', 'Bea'))
      expect((await heard('DELETE', `/${id}`))[1]).toEqual(seen('delete', 2, 4, 'Bea', 'Bea'))
    })

    it('tells validation the name of a custom operation', async () => {
      const { request } = server()
      await server().submit(
        SHELF.replace(
          '      permissions',
          "      validation: [{ expression: op != 'mark', message: Not marked }]\n      permissions",
        ),
      )
      const { body } = await request('POST', '/api/v1/shelf/items', { body: { name: 'jar' } })
      const marked = await request('POST', `/api/v1/shelf/items/${body.data.id}/mark`, { body: {} })
      expect([marked.status, marked.body.errors?.[0]?.message]).toEqual([422, 'Not marked'])
    })

    it('compiles expressions without a record, over variables', async () => {
      await server().submit(withKey('  watch: { formula: $trigger.price * 2 }\n'))
      const value = compiled.formula!.evaluate({ now: Date.now, variables: { trigger: { price: 4 } } })
      expect(value).toBe(8)
    })

    it.each([
      ['{ when: price > $limit }', /'\$limit' is not known here/],
      ['{ formula: price + 1 }', /'price' is not known here/],
      ['{ rows: "matches(name, tags)" }', /matches/],
      ['{ rows: hasAnyRole(name) }', /the database, which cannot work this out/],
    ])('is told at its line what is wrong with %s', async (written, message) => {
      const { status, body } = await submitTo(server(), withKey(`  watch: ${written}\n`))
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body.errors)).toMatch(message)
      expect(body.errors[0]).toMatchObject({ line: 5 })
    })

    it('warns of an expression that gives another kind than is wanted', async () => {
      const { body } = await submitTo(server(), withKey(`  watch: { formula: "'a'" }\n`))
      expect(JSON.stringify(body.warnings)).toContain('this gives text, and number is wanted here')
    })
  })
}

interface Named {
  readonly names: readonly string[]
}
const NAMES = blockKey<Named>('names')
const Names = z.array(z.string())

const names: DomainBlock<string[], Named> = {
  on: 'domain',
  key: NAMES.key,
  schema: Names,
  compile: (written) => written && { made: { names: written } },
}

describe('blocks that build on each other', () => {
  const seen: unknown[] = []
  const greeting: DomainBlock<string> = {
    on: 'domain',
    key: 'greeting',
    schema: z.string(),
    after: ['names'],
    afterIfLoaded: ['nobodyOwnsThis'],
    compile(written, site) {
      seen.push(
        site.made(NAMES)?.names,
        site.model.parts.map(({ key }) => key),
      )
      return written === undefined ? undefined : { made: site.model }
    },
  }
  const server = useTestKernel({ store: STORES[0]!, plugins: [owning(greeting, names)] })

  it('are compiled one after the other, and the later one has what the earlier one made', async () => {
    seen.length = 0
    await server().submit(withKey('  names: [Ada]\n  greeting: Hello\n'))
    expect(seen).toEqual([['Ada'], expect.arrayContaining(['names'])])
  })

  it('are handed the very model that comes into force', async () => {
    const model = server().kernel.get(DomainsCapability).model('shelf')!
    expect(model.parts.find(({ key }) => key === 'greeting')?.part.made).toBe(model)
  })

  const starting = (...blocks: readonly Block[]) =>
    startTestKernel({ store: STORES[0]!, plugins: [owning(...blocks)] })
  const block = (key: string, ...after: readonly string[]): Block => ({
    on: 'domain',
    key,
    schema: z.string(),
    after,
    compile: () => undefined,
  })

  it('end the start where they wait for each other, with the way round', async () => {
    const started = starting(block('a', 'b'), block('b', 'c'), block('c', 'a'))
    await expect(started).rejects.toThrow("'a' after 'b' after 'c' after 'a'")
  })

  it('end the start where one comes after a key that no plugin owns', async () => {
    await expect(starting(block('a', 'nobodys'))).rejects.toThrow(
      "the key 'a' comes after 'nobodys', which no plugin owns",
    )
  })

  it('do not ask for what they do not come after', async () => {
    const asking: DomainBlock = {
      on: 'domain',
      key: 'asking',
      schema: z.string(),
      compile: (_, site) => void site.made(NAMES),
    }
    const running = await starting(asking, names)
    try {
      await expect(running.submit(SHELF)).rejects.toThrow()
    } finally {
      await running.stop()
    }
  })
})

describe('a block without a schema', () => {
  const everywhere: DomainBlock = {
    on: 'domain',
    key: 'everywhere',
    compile: (written, { model }) => ({ made: [written, model.parts.map(({ key }) => key)] }),
  }
  const server = useTestKernel({ store: STORES[0]!, plugins: [owning(everywhere, names)] })

  it('is a part of every domain, made after those of all keys, and no key of the language', async () => {
    const { body } = await submitTo(server(), withKey('  names: [Ada]\n  everywhere: true\n'))
    expect(JSON.stringify(body.warnings)).toContain('everywhere')
    const model = server().kernel.get(DomainsCapability).model('shelf')!
    const [written, earlier] = model.parts.find(({ key }) => key === 'everywhere')!.part.made as unknown[]
    expect(written).toBeUndefined()
    expect(earlier).toContain('names')
  })
})

describe('features and kinds of change', () => {
  const shiny: Block = {
    on: 'resource',
    key: 'polish',
    schema: z.string(),
    features: { shiny: 'Whether it shines.' },
    compile: (_, site) =>
      site.feature('shiny') ? { describe: () => ({ schema: { shine: 'bright' } }) } : undefined,
  }
  const server = useTestKernel({ store: STORES[0]!, plugins: [owning(shiny)] })
  const SHINY = SHELF.replace(
    '      permissions',
    '      features: { shiny: true, glossy: true }\n      permissions',
  )

  it('of a block are told apart from those that nobody owns', async () => {
    const { status, body } = await submitTo(server(), SHINY)
    expect(status).toBe(201)
    expect(body.warnings).toMatchObject([{ message: expect.stringContaining('glossy') }])
  })

  it('are told by the schema endpoint, with what the block says', async () => {
    const { body } = await server().request('GET', '/api/v1/domains/shelf/schema')
    expect(body.data.resources.Item).toMatchObject({
      shine: 'bright',
      features: { shiny: true, audit: false, versioning: false },
    })
  })

  it('belong to one block each', async () => {
    const started = startTestKernel({ store: STORES[0]!, plugins: [owning(shiny, { ...shiny, key: 'wax' })] })
    await expect(started).rejects.toThrow("two plugins own the feature 'shiny'")
  })
})

describe('what the definition language has by itself', () => {
  const owned = (on: Block['on'], key: string, features?: Record<string, string>): Block => ({
    on,
    key,
    schema: z.unknown(),
    ...(features && { features }),
    compile: () => undefined,
  })
  it.each([
    ['key', owned('domain', 'resources'), 'resources'],
    ['key', owned('domain', 'name'), 'name'],
    ['key', owned('domain', 'label'), 'label'],
    ['key', owned('resource', 'permissions'), 'permissions'],
    ['key', owned('resource', 'object'), 'object'],
    ['feature', owned('resource', 'polish', { softDelete: 'Whether it is.' }), 'softDelete'],
  ])('belongs to no block: the %s of %j ends the start', async (what, block, name) => {
    const started = startTestKernel({ store: STORES[0]!, plugins: [owning(block)] })
    await expect(started).rejects.toThrow(
      `the ${what} '${name}' belongs to the definition language itself, so that '${block.key}' of a ${block.on} cannot own it. ` +
        'Give the block another name',
    )
  })

  it('may be owned where the language has it elsewhere', async () => {
    const plugins = [owning(owned('domain', 'permissions'), owned('resource', 'version'))]
    await (await startTestKernel({ store: STORES[0]!, plugins })).stop()
  })
})

describe('actions of a block', () => {
  const acting = (...actions: readonly DomainAction[]): DomainBlock => ({
    on: 'domain',
    key: 'acts',
    schema: z.unknown(),
    compile: () => ({ actions }),
  })
  const action = (name: string, route: Route): DomainAction => ({
    name,
    summary: 'Act',
    access: ['*'],
    routes: [route],
    handle: () => name,
  })
  const OWNER = "This is for the plugin that owns 'acts' to change:"
  it.each([
    [
      [action('a', 'GET /t'), action('b', 'GET /t')],
      `would answer at 'GET /api/v1/shelf/t', where 'svc.shelf.acts.a' does`,
      `${OWNER} give one of both another route`,
    ],
    [
      [action('a', 'GET /t'), action('a', 'GET /u')],
      "two actions are called 'svc.shelf.acts.a'",
      `${OWNER} rename one of them`,
    ],
    [
      [action('A b', 'GET /t')],
      "'A b' is no name for an action",
      `${OWNER} give it one of letters, digits and hyphens`,
    ],
  ])('are told as what they are where they cannot be', async (actions, message, hint) => {
    const running = await startTestKernel({ store: STORES[0]!, plugins: [owning(acting(...actions))] })
    try {
      const { status, body } = await submitTo(running, SHELF)
      expect([status, body.errors.length]).toEqual([422, 1])
      expect(body.errors[0].path).toBe('domain.acts')
      expect(JSON.stringify(body.errors[0])).toContain(message)
      expect(JSON.stringify(body.errors[0])).toContain(hint)
    } finally {
      await running.stop()
    }
  })
})

describe('an action that answers no JSON', () => {
  const block: DomainBlock = {
    on: 'domain',
    key: 'tables',
    schema: z.unknown(),
    compile: () => ({
      actions: [
        {
          name: 'export',
          summary: 'Export',
          access: ['*'],
          routes: ['GET /tables'],
          handle: () => new Reply({ content: { type: 'text/csv', body: 'a' } }),
        },
      ],
      describe: () => ({
        openapi: { operations: { export: { answers: { description: 'All of it', media: 'text/csv' } } } },
      }),
    }),
  }
  const server = useTestKernel({ store: STORES[0]!, plugins: [owning(block)], definition: SHELF })

  it('stands in the documents by its media type', async () => {
    const { body } = await server().request('GET', '/api/v1/domains/shelf/openapi.json')
    expect(body.paths['/api/v1/shelf/tables'].get.responses['200']).toMatchObject({
      description: 'All of it',
      content: { 'text/csv': { schema: { type: 'string' } } },
    })
  })
})

describe('a block whose description throws', () => {
  const mute = (key: string): Block => ({
    on: 'domain',
    key,
    schema: z.unknown(),
    compile: () => ({
      describe() {
        if (key === 'mute') throw new Error('it was to be described')
        return { schema: { [key]: 'here' } }
      },
    }),
  })
  const server = useTestKernel({
    store: STORES[0]!,
    plugins: [owning(mute('mute'), mute('loud'))],
    definition: SHELF,
  })

  it('says nothing, which the log tells once, and all else is served', async () => {
    const { request, log } = server()
    for (const path of ['domains/shelf/schema', 'domains/shelf/openapi.json', 'openapi.json'])
      expect([path, (await request('GET', `/api/v1/${path}`)).status]).toEqual([path, 200])
    const { body } = await request('GET', '/api/v1/domains/shelf/schema')
    expect(body.data).toMatchObject({ loud: 'here', resources: { Item: {} } })
    const failures = log.filter(({ event }) => event === 'domain.describe_failed')
    expect(failures).toMatchObject([{ level: 'error', fields: { key: 'mute' } }])
  })
})

describe('a kind of change that a block owns', () => {
  const kinds: string[] = []
  const rewinding: ResourceBlock<boolean> = {
    on: 'resource',
    key: 'rewinds',
    schema: z.boolean(),
    changes: ['rewind'],
    compile: (written) =>
      written === true
        ? {
            afterWrite: ({ kind }) => void kinds.push(kind),
            operations: [
              {
                name: 'rewind',
                summary: 'Take the name back',
                routes: { 'POST /:id/rewind': 'update', 'POST /:id/rewind/:kind': 'update' },
                handle: (input, call, records) =>
                  records.reinstate(input.path?.['kind'] ?? 'rewind', input, call, async () => ({
                    name: 'before',
                  })),
              },
            ],
          }
        : undefined,
  }
  const server = useTestKernel({
    store: STORES[0]!,
    plugins: [owning(rewinding)],
    definition: SHELF.replace('      permissions', '      rewinds: true\n      permissions'),
  })

  it('writes the record by the one write path, and blocks meet it by its name', async () => {
    const { body } = await server().request('POST', '/api/v1/shelf/items', {
      body: { name: 'after', price: 1 },
    })
    const path = `/api/v1/shelf/items/${body.data.id}/rewind`
    const token = server().admin
    const done = await server().request('POST', path, { token, body: {} })
    expect([done.status, done.body.data]).toMatchObject([200, { name: 'before', price: 1 }])
    expect(kinds).toEqual(['create', 'rewind'])
    expect(await server().request('POST', `${path}/other`, { token, body: {} })).toMatchObject({
      status: 500,
    })
    expect(JSON.stringify(server().log.map(({ fields }) => String(fields['err'])))).toContain(
      "no block owns the kind of change 'other'",
    )
  })

  it.each(['rewind', 'create'])("has one owner: '%s'", async (kind) => {
    const other = { ...rewinding, key: 'other', changes: [kind] }
    const started = startTestKernel({ store: STORES[0]!, plugins: [owning(rewinding, other)] })
    await expect(started).rejects.toThrow(`the kind of change '${kind}' belongs to 'other' and to`)
  })
})

describe('a block', () => {
  it('is compiled once for each definition that is read, and once more where that reads variables', async () => {
    let count = 0
    const counting: DomainBlock<string> = {
      on: 'domain',
      key: 'counting',
      schema: z.string(),
      compile: () => void (count += 1),
    }
    const running = await startTestKernel({ store: STORES[0]!, plugins: [owning(counting)] })
    const counted = async (work: () => Promise<unknown>) => {
      count = 0
      await work()
      return count
    }
    try {
      expect(await counted(() => running.submit(SHELF))).toBe(1)
      expect(await counted(() => running.submit(SHELF))).toBe(1)
      const content = withKey('  counting: a\n')
      const preview = () =>
        running.request('POST', '/api/v1/domains/shelf/preview', { token: running.admin, body: { content } })
      expect(await counted(preview)).toBe(1)
      expect(await counted(() => running.request('GET', '/api/v1/domains/shelf/schema'))).toBe(0)
      expect(await counted(() => running.submit(withKey("  label: '${SHELF_LABEL:Shelf}'\n")))).toBe(2)
    } finally {
      await running.stop()
    }
  })
})
