import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AppError,
  type Answer,
  createKernel,
  definePlugin,
  type Inbound,
  type Kernel,
  SYSTEM,
} from '@svc/kernel'
import { type Definition, type Store, StoreCapability, type Table } from '@svc/store/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { STORES, type StoreUnderTest, type TestDatabase } from '../../../../test/kit/stores.ts'
import { DomainsCapability } from '../contract.ts'
import { domain } from '../index.ts'

const ALL = ['*']
const OPEN = { list: ALL, get: ALL, create: ALL, update: ALL, delete: ALL }

interface Started {
  readonly kernel: Kernel
  readonly store: Store
  // Tests look into answers whose shape is the very thing under test.
  // oxlint-disable-next-line typescript/no-explicit-any
  run(name: string, input?: unknown): Promise<any>
  /** Sends a message through the pipeline as an anonymous caller. */
  send(name: string, parts?: Partial<Inbound>, body?: unknown): Promise<Answer>
}

interface Setting {
  readonly config?: object
  /** Stands between the engine and the store. */
  readonly wrap?: (store: Store) => Store
}

const post = (fields: object, more: object = {}) => ({
  Post: { object: { title: { type: 'string', required: true }, ...fields }, permissions: OPEN, ...more },
})
const definition = (resources: object, version = '1.0.0', more: object = {}) =>
  JSON.stringify({ domain: { name: 'blog', version, resources, ...more } })

const FIRST = definition(post({ body: 'text' }))
const SECOND = definition(post({ body: 'text', stars: { type: 'integer', default: 3 } }), '2.0.0')
const THIRD = definition(post({ stars: 'integer' }), '3.0.0')

for (const under of STORES) {
  describe(`the engine on ${under.name}`, () => {
    const cleanups: (() => Promise<void> | void)[] = []
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
    })

    async function database(): Promise<TestDatabase> {
      const made = await under.open()
      cleanups.push(() => made.drop())
      return made
    }

    async function start(on: TestDatabase, { config = {}, wrap }: Setting = {}): Promise<Started> {
      const kernel = createKernel({
        config: { ...on.config(), domain: config },
        plugins: [wrap ? wrapped(under, wrap) : under.plugin, domain],
      })
      await kernel.start()
      cleanups.push(() => kernel.stop())
      const call = kernel.callAs(SYSTEM)
      return {
        kernel,
        store: kernel.get(StoreCapability),
        run: (name, input) => call(name, input),
        async send(name, parts = {}, body) {
          const action = kernel.actions.find(name)
          if (!action) throw new Error(`no action ${name}`)
          return kernel.pipeline.run(action, {
            ...MESSAGE,
            ...parts,
            ...(body !== undefined && { read: () => body }),
          })
        },
      }
    }

    const submit = ({ run }: Started, content: string, more: object = {}) =>
      run('svc.domain.submit', { content, ...more })
    const titles = async ({ run }: Started) =>
      ((await run('svc.blog.post.list', {})).items as { title: string }[]).map(({ title }) => title)

    it('turns a definition into a running backend and describes it', async () => {
      const server = await start(await database())
      const answer = await submit(server, FIRST)
      expect(answer).toMatchObject({
        domain: 'blog',
        version: '1.0.0',
        status: 'active',
        resources: [{ name: 'Post', table: 'blog_post', fields: ['id', 'title', 'body'] }],
      })
      expect(answer.ddl_count).toBeGreaterThan(0)
      const { id } = await server.run('svc.blog.post.create', { data: { title: 'Hello' } })
      expect(await server.run('svc.blog.post.get', { id })).toMatchObject({ title: 'Hello', body: null })
      const { domains } = await server.run('svc.domain.list')
      expect(domains).toMatchObject([
        { name: 'blog', version: '1.0.0', status: 'active', resources: ['Post'] },
      ])
      expect(await server.run('svc.domain.get', { name: 'blog' })).toMatchObject({
        checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
        migrations: [
          { fromVersion: null, toVersion: '1.0.0', status: 'success', stepsApplied: 1, stepsSkipped: 0 },
        ],
      })
      expect(await server.run('svc.domain.schema', { name: 'blog' })).toMatchObject({
        domain: { name: 'blog', version: '1.0.0' },
        resources: { Post: { collectionPath: '/api/v1/blog/posts', fields: { title: { required: true } } } },
      })
      const exported = await server.run('svc.domain.export', { name: 'blog' })
      expect(exported.ddl.join()).toContain('create table "blog_post"')
      expect((await server.run('svc.domain.migrations', { name: 'blog' })).migrations[0]).toMatchObject({
        up: [expect.stringContaining('create table')],
        down: [expect.stringContaining('drop table')],
        reversible: true,
      })
      expect(server.kernel.get(DomainsCapability).list()).toHaveLength(1)
    })

    it('has nothing to do for an unchanged definition', async () => {
      const server = await start(await database())
      await submit(server, FIRST)
      expect(await submit(server, FIRST)).toMatchObject({ ddl_count: 0, status: 'active' })
      const reordered = FIRST.replace('"name":"blog","version":"1.0.0"', '"version":"1.0.0","name":"blog"')
      expect(await submit(server, reordered)).toMatchObject({ ddl_count: 0 })
      expect((await server.run('svc.domain.source', { name: 'blog' })).source).toBe(reordered)
      expect((await server.run('svc.domain.get', { name: 'blog' })).migrations).toHaveLength(1)
    })

    it('tells every fault of a definition with its place, those of shape and meaning together (ruling 3.3)', async () => {
      const server = await start(await database())
      const broken =
        'domain:\n  name: blog\n  version: "1"\n  resources:\n    Post:\n      object:\n        a: sting\n        b: 5\n'
      const error = await submit(server, broken).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'PARSE_ERROR', status: 422 })
      expect((error as AppError).detail.errors).toMatchObject([
        { path: 'domain.resources.Post.object.a.type', line: 7 },
        { path: 'domain.resources.Post.object.b', line: 8 },
      ])
      expect(server.kernel.get(DomainsCapability).list()).toEqual([])
    })

    it('asks before it loses something, shows it in a preview, and loses nothing when refused', async () => {
      const server = await start(await database())
      await submit(server, SECOND)
      await server.run('svc.blog.post.create', { data: { title: 'kept', body: 'text' } })
      const preview = await server.run('svc.domain.preview', { name: 'blog', content: THIRD })
      expect(preview).toMatchObject({
        domain: 'blog',
        fromVersion: '2.0.0',
        toVersion: '3.0.0',
        destructive: true,
      })
      expect(preview.messages).toEqual([expect.stringContaining("'body' is dropped")])
      expect(preview.steps).toMatchObject([
        { kind: 'dropColumn', table: 'blog_post', column: 'body', reversible: false },
      ])
      await expect(submit(server, THIRD)).rejects.toMatchObject({
        code: 'DESTRUCTIVE_MIGRATION',
        detail: { data: preview.messages },
      })
      expect((await server.run('svc.blog.post.list', {})).items).toMatchObject([
        { title: 'kept', body: 'text' },
      ])
      await submit(server, THIRD, { allow_destructive: true })
      const [item] = (await server.run('svc.blog.post.list', {})).items
      expect(item).not.toHaveProperty('body')
    })

    it('rolls back one version, or several, and keeps the text that was submitted last', async () => {
      const server = await start(await database())
      for (const content of [FIRST, SECOND, THIRD]) await submit(server, content, { allow_destructive: true })
      await server.run('svc.blog.post.create', { data: { title: 'x', stars: 5 } })
      expect(await server.run('svc.domain.rollback', { name: 'blog' })).toMatchObject({
        domain: 'blog',
        version: '2.0.0',
      })
      expect((await server.run('svc.blog.post.list', {})).items).toMatchObject([
        { title: 'x', stars: 5, body: null },
      ])
      await submit(server, THIRD, { allow_destructive: true })
      await expect(
        server.run('svc.domain.rollback', { name: 'blog', target_version: '9' }),
      ).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
      const back = await server.run('svc.domain.rollback', { name: 'blog', target_version: '1.0.0' })
      expect(back.rolledBack).toHaveLength(2)
      expect((await server.run('svc.blog.post.list', {})).items[0]).not.toHaveProperty('stars')
      expect((await server.run('svc.domain.source', { name: 'blog' })).source).toBe(THIRD)
      const resolved = await server.run('svc.domain.source', { name: 'blog', format: 'resolved' })
      expect(resolved.resolved.domain.version).toBe('1.0.0')
      await expect(server.run('svc.domain.rollback', { name: 'blog' })).rejects.toMatchObject({
        code: 'CONFLICT',
      })
      const { migrations } = await server.run('svc.domain.get', { name: 'blog' })
      expect(migrations.map(({ status }: { status: string }) => status)).toEqual([
        'rolled_back',
        'rolled_back',
        'rolled_back',
        'success',
      ])
    })

    it('is the same again after a restart', async () => {
      const on = await database()
      const before = await start(on)
      await submit(before, FIRST)
      await submit(before, SECOND)
      await before.run('svc.blog.post.create', { data: { title: 'kept' } })
      const checksum = (await before.run('svc.domain.get', { name: 'blog' })).checksum
      await before.kernel.stop()
      const after = await start(on)
      expect(await titles(after)).toEqual(['kept'])
      expect((await after.run('svc.domain.get', { name: 'blog' })).checksum).toBe(checksum)
      await after.run('svc.domain.rollback', { name: 'blog' })
      await after.kernel.stop()
      expect((await (await start(on)).run('svc.domain.get', { name: 'blog' })).version).toBe('1.0.0')
    })

    it('applies a file when it has changed since, and otherwise keeps what was submitted', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-domain-'))
      cleanups.push(() => rmSync(folder, { recursive: true }))
      const file = join(folder, 'blog.json')
      const on = await database()
      const restart = async (config: object = {}) => {
        const server = await start(on, { config: { domain_file: file, ...config } })
        const { version } = await server.run('svc.domain.get', { name: 'blog' })
        return { server, version }
      }
      writeFileSync(file, FIRST)
      const one = await restart()
      expect(one.version).toBe('1.0.0')
      await submit(one.server, SECOND)
      await one.server.kernel.stop()
      const two = await restart()
      expect(two.version).toBe('2.0.0')
      await two.server.kernel.stop()
      writeFileSync(file, THIRD)
      await expect(restart()).rejects.toThrow(/blog.json.*'body' is dropped.*allow_destructive/s)
      const three = await restart({ allow_destructive: true })
      expect(three.version).toBe('3.0.0')
      await three.server.kernel.stop()
      writeFileSync(file, '{"domain": {"name": "blog", "version": 1, "resources": {"A": {}}}}')
      await expect(restart()).rejects.toThrow(/line 1, domain\.version/)
    })

    it('refuses what belongs to something else before anything is changed', async () => {
      const server = await start(await database())
      await submit(server, FIRST)
      const clash = definition(post({}), '1', { api: { prefix: '/api/v1/blog' } }).replace(
        '"blog"',
        '"other"',
      )
      await expect(submit(server, clash)).rejects.toMatchObject({ code: 'PARSE_ERROR' })
      const tables = JSON.stringify({
        domain: {
          name: 'svc',
          version: '1',
          resources: { Domain: { object: { a: 'string' } }, Domains: { object: { a: 'string' } } },
        },
      })
      await expect(submit(server, tables)).rejects.toMatchObject({ code: 'PARSE_ERROR' })
      const key = definition({ Post: { object: { code: { type: 'string', primaryKey: true } } } }, '2')
      await expect(submit(server, key, { allow_destructive: true })).rejects.toThrow('the key of')
      expect((await server.run('svc.domain.list')).domains).toHaveLength(1)
    })

    it('leaves the old definition with the old tables whichever write of a change fails', async () => {
      const on = await database()
      let failing = Infinity
      const server = await start(on, { wrap: (store) => failingAt(store, () => (failing -= 1) < 0) })
      await submit(server, FIRST)
      await server.run('svc.blog.post.create', { data: { title: 'kept', body: 'text' } })
      const before = JSON.stringify(await server.store.catalog())
      const next = definition(
        {
          ...post(
            { stars: { type: 'integer', default: 3, unique: false } },
            { indexes: [{ fields: ['stars'] }] },
          ),
          Tag: { object: { a: 'string' } },
        },
        '2.0.0',
      )
      let failures = 0
      for (; ; failures += 1) {
        failing = failures
        const outcome = await submit(server, next, { allow_destructive: true }).catch((error: Error) => error)
        failing = Infinity
        if (!(outcome instanceof Error)) break
        expect(outcome.message).toBe('pulled the plug')
        expect(JSON.stringify(await server.store.catalog())).toBe(before)
        expect(await server.run('svc.domain.get', { name: 'blog' })).toMatchObject({ version: '1.0.0' })
        expect((await server.run('svc.blog.post.list', {})).items).toMatchObject([
          { title: 'kept', body: 'text' },
        ])
      }
      expect(failures).toBeGreaterThan(5)
      expect((await server.run('svc.blog.post.list', {})).items).toMatchObject([{ title: 'kept', stars: 3 }])
    })

    it('lets no request meet a half of each definition', async () => {
      const server = await start(await database())
      await submit(server, definition(post({ a: 'string' })))
      const renamed = (from: string, to: string, version: string) =>
        definition(post({ [to]: { type: 'string', renamedFrom: from } }), version)
      const statuses = new Set<number>()
      let busy = true
      const client = async (at: number) => {
        for (let n = 0; busy; n += 1) {
          const created = await server.send('svc.blog.post.create', {}, { title: `${at} ${n}` })
          const listed = await server.send('svc.blog.post.list', { query: { sort: 'title', limit: '5' } })
          const counted = await server.send('svc.blog.post.count')
          for (const { status } of [created, listed, counted]) statuses.add(status)
        }
      }
      const clients = [1, 2, 3].map(client)
      try {
        for (let n = 1; n <= 6; n += 1) {
          await submit(server, n % 2 ? renamed('a', 'b', `1.${n}`) : renamed('b', 'a', `1.${n}`))
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
      } finally {
        busy = false
      }
      await Promise.all(clients)
      expect([...statuses].toSorted()).toEqual([200, 201])
    })

    it('serves one database with two servers, which take over each other’s changes', async () => {
      const on = await database()
      const [one, two] = [await start(on), await start(on)]
      await submit(one, FIRST)
      await submit(two, SECOND)
      expect((await two.run('svc.domain.get', { name: 'blog' })).migrations).toHaveLength(2)
      // The first server still has the first definition; its next write meets the new tables or takes them over.
      const created = await one.send('svc.blog.post.create', {}, { title: 'from one' })
      expect(created.status).toBe(201)
      await submit(two, THIRD, { allow_destructive: true })
      const stale = await one.send('svc.blog.post.create', {}, { title: 'again' })
      expect(stale.status).toBe(201)
      expect((await one.send('svc.blog.post.list')).status).toBe(200)
      expect((await one.run('svc.domain.get', { name: 'blog' })).version).toBe('3.0.0')
      const lossy = { allow_destructive: true }
      const both = await Promise.allSettled([submit(one, FIRST, lossy), submit(two, FIRST, lossy)])
      expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      expect((await one.run('svc.domain.get', { name: 'blog' })).migrations).toHaveLength(4)
    })
  })
}

const MESSAGE: Inbound = {
  id: 'test',
  transport: 'test',
  remote: '127.0.0.1',
  params: {},
  query: {},
  meta: () => undefined,
  signal: new AbortController().signal,
}

/** The store's plugin, with something between it and everybody else. */
function wrapped({ plugin }: StoreUnderTest, wrap: (store: Store) => Store) {
  const inner = plugin as Omit<typeof plugin, 'setup'> & { setup(context: unknown): Promise<Store> }
  return definePlugin({
    name: inner.name,
    phase: 'store',
    ...(inner.config && { config: inner.config }),
    provides: StoreCapability,
    setup: async (context) => wrap(await inner.setup(context)),
  })
}

/** A store whose transactions of definition fail at the write that `fails` chooses. */
function failingAt(store: Store, fails: () => boolean): Store {
  const pullThePlug = () => {
    if (fails()) throw new Error('pulled the plug')
  }
  const guarded = (inner: Definition): Definition => ({
    select: (plan) => inner.select(plan),
    count: (plan) => inner.count(plan),
    aggregate: (plan) => inner.aggregate(plan),
    claim: async (plan) => (pullThePlug(), inner.claim(plan)),
    exclusiveLock: (name) => inner.exclusiveLock(name),
    savepoint: (work) => inner.savepoint(work),
    afterCommit: (listener) => inner.afterCommit(listener),
    insert: async (plan) => (pullThePlug(), inner.insert(plan)),
    append: async (plan) => (pullThePlug(), inner.append(plan)),
    insertRows: async (plan) => (pullThePlug(), inner.insertRows(plan)),
    update: async (plan) => (pullThePlug(), inner.update(plan)),
    updateRows: async (plan) => (pullThePlug(), inner.updateRows(plan)),
    remove: async (plan) => (pullThePlug(), inner.remove(plan)),
    apply: async (step) => {
      pullThePlug()
      const ran = await inner.apply(step)
      pullThePlug()
      return ran
    },
  })
  return {
    name: store.name,
    dialect: store.dialect,
    journal: store.journal,
    select: (plan) => store.select(plan),
    features: store.features,
    wanting: store.wanting,
    compareGeometries: (test) => store.compareGeometries(test),
    count: (plan) => store.count(plan),
    aggregate: (plan) => store.aggregate(plan),
    stream: (plan, size) => store.stream(plan, size),
    transaction: (work, opening) => store.transaction(work, opening),
    define: (work, options) => store.define((inner) => work(guarded(inner)), options),
    ensure: (tables: readonly Table[]) => store.ensure(tables),
    explain: (step) => store.explain(step),
    state: () => store.state(),
    catalog: () => store.catalog(),
    scrub: (tables) => store.scrub(tables),
    size: () => store.size(),
  }
}
