import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Action,
  type ActionMap,
  type Call,
  createKernel,
  definePlugin,
  defineErrors,
  errors,
  type Plugin,
  Reply,
  silentLogger,
} from '@svc/kernel'
import { auth } from '@svc/auth'
import { AccountsCapability } from '@svc/auth/contract'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { STORES, type TestDatabase } from '../../../test/kit/stores.ts'
import { SeederCapability } from './contract.ts'
import { seeder } from './index.ts'

type Stored = Readonly<Record<string, unknown>>
const { DUPLICATE } = defineErrors({ DUPLICATE: [409, 'taken'] })
const UUID_V5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A domain `shop` that keeps records in memory, as the engine's create actions would. */
function shop() {
  const records: { readonly resource: string; readonly data: Stored; readonly caller: string }[] = []
  const create = (resource: string, kebab: string, key = 'id', keyKind = 'uuid'): Action => ({
    name: `svc.shop.${kebab}.create`,
    access: ['admin'],
    notes: { domain: 'shop', record: { domain: 'shop', resource, operation: 'create', key, keyKind } },
    handle({ data }: { data: Stored }, { caller }: Call) {
      const isTaken = records.some((one) => one.resource === resource && one.data[key] === data[key])
      if (data[key] !== undefined && isTaken) throw DUPLICATE()
      if (data['title'] === 'bad') {
        throw errors.VALIDATION_ERROR({
          errors: [{ field: 'title', rule: 'enum', message: 'no good title' }],
        })
      }
      records.push({ resource, data, caller: caller.kind })
      return Reply.created(data)
    },
  })
  const plugin = definePlugin({
    name: 'shop',
    phase: 'domain',
    setup: ({ actions }) =>
      actions.add(
        create('Tag', 'tag', 'tagId'),
        create('OrderItem', 'order-item'),
        create('Counter', 'counter', 'id', 'integer'),
      ),
  })
  return { records, plugin, of: (name: string) => records.filter(({ resource }) => resource === name) }
}

interface Options {
  readonly database?: TestDatabase
  readonly plugins?: readonly Plugin[]
  readonly section?: object
}

/** Starts a server that applies `yaml`, on a database of its own unless one is given. */
async function start([store]: typeof STORES, yaml: string, options: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-seed-'))
  const file = join(folder, 'seed.yaml')
  writeFileSync(file, yaml)
  const database = options.database ?? (await store!.open())
  const warnings: unknown[] = []
  const log = { ...silentLogger, warn: (...said: unknown[]) => void warnings.push(said), child: () => log }
  const kernel = createKernel({
    config: {
      ...database.config(),
      auth: { jwt: { secret: 'x'.repeat(32) } },
      seeder: { run_on_start: true, seed_file: file, ...options.section },
    },
    plugins: [store!.plugin, auth, seeder, ...(options.plugins ?? [])],
    log,
  })
  onTestFinished(async () => {
    await kernel.stop()
    if (options.database === undefined) await database.drop()
    rmSync(folder, { recursive: true })
  })
  await kernel.start()
  return {
    kernel,
    database,
    file,
    warnings,
    accounts: kernel.get(AccountsCapability),
    run: () => kernel.get(SeederCapability).run(),
  }
}

const PEOPLE = `
roles:
  - { name: editor, description: Edits }
users:
  - { username: root.ada, email: ada@example.com, password: 'Correct-horse-7', roles: [admin, editor], verified: true }
  - { username: bob, email: bob@example.com, password: '\${SEED_TEST_PASSWORD:Correct-horse-7}' }
`

for (const store of STORES) {
  describe(`seeding on ${store.name}`, () => {
    it('makes roles and users with what they are given, once', async () => {
      const { accounts, run } = await start([store], PEOPLE)
      expect(await accounts.listRoles()).toContainEqual({ name: 'editor', description: 'Edits' })
      expect(await accounts.find('root.ada')).toMatchObject({
        roles: ['admin', 'editor'],
        verified: true,
        origin: 'seeded',
      })
      expect(await accounts.find('bob')).toMatchObject({ roles: [], verified: false })
      expect(await run()).toEqual({
        roles: { created: 0, skipped: 1 },
        users: { created: 0, skipped: 2 },
        records: { created: 0, skipped: 0 },
      })
    })

    it('gives nothing to somebody who took the name first, and says so', async () => {
      const database = await store.open()
      onTestFinished(() => database.drop())
      const before = await start([store], '', { database })
      const password = 'Correct-horse-7'
      await before.accounts.create({ username: 'Root.Ada', email: 'eve@example.com', password })
      await before.accounts.create({ username: 'rob', email: 'BOB@example.com', password })
      const { accounts, warnings } = await start([store], PEOPLE, { database })
      expect(await accounts.find('root.ada')).toMatchObject({ roles: [], verified: false })
      expect(await accounts.find('bob')).toBeUndefined()
      expect(warnings).toEqual([
        [{ username: 'root.ada' }, 'seeder.user_not_ours'],
        [{ username: 'bob' }, 'seeder.user_not_ours'],
      ])
    })

    it('does not give back what was taken from a user since', async () => {
      const { accounts, kernel, run } = await start([store], PEOPLE)
      const boss = await accounts.create({
        username: 'boss',
        email: 'boss@example.com',
        password: 'Correct-horse-7',
        roles: ['admin'],
      })
      const caller = { ...boss, kind: 'user', claims: {} } as const
      await kernel.callAs(caller)<keyof ActionMap | string>('admin.users.roles', {
        user: 'root.ada',
        roles: [],
      })
      await run()
      expect(await accounts.find('root.ada')).toMatchObject({ roles: [] })
    })
  })
}

describe('seeding records', () => {
  it('makes them in order as the server itself, with keys and references that hold at every run', async () => {
    const domain = shop()
    const yaml = `${PEOPLE}
data:
  shop:
    Tag:
      - { _key: red, title: Red }
      - { _key: no one, title: $$Tag.red }
    OrderItem:
      - _key: first
        tag: $Tag.red
        nested: { list: [$OrderItem.first, '$Tag.no one', $user.root.ada] }
        price: $5.00
`
    const { accounts, run } = await start(STORES, yaml, { plugins: [domain.plugin] })
    const [red, other] = domain.of('Tag').map(({ data }) => data)
    const [item] = domain.of('OrderItem').map(({ data }) => data)
    expect(red).toEqual({ tagId: expect.stringMatching(UUID_V5), title: 'Red' })
    expect(other).toMatchObject({ title: '$Tag.red' })
    expect(item).toEqual({
      id: expect.stringMatching(UUID_V5),
      tag: red?.['tagId'],
      nested: { list: [item?.['id'], other?.['tagId'], (await accounts.find('root.ada'))?.id] },
      price: '$5.00',
    })
    expect(new Set(domain.records.map(({ caller }) => caller))).toEqual(new Set(['system']))
    expect((await run()).records).toEqual({ created: 0, skipped: 3 })
  })

  it('makes records without a key once too, twins included', async () => {
    const domain = shop()
    const yaml = 'data: { shop: { OrderItem: [{ title: a }, { title: a }, { title: b }] } }'
    const { run } = await start(STORES, yaml, { plugins: [domain.plugin] })
    expect(domain.records).toHaveLength(3)
    expect((await run()).records).toEqual({ created: 0, skipped: 3 })
  })

  it('leaves keys alone that a record brings or the store counts', async () => {
    const domain = shop()
    const id = '01890a5d-ac96-774b-bcce-b302099a8057'
    const yaml = `data: { shop: { Counter: [{ title: a }], OrderItem: [{ _key: k, id: ${id} }, { at: $OrderItem.k }] } }`
    await start(STORES, yaml, { plugins: [domain.plugin] })
    expect(domain.of('Counter')[0]?.data).toEqual({ title: 'a' })
    expect(domain.of('OrderItem').map(({ data }) => data)).toMatchObject([{ id }, { at: id }])
  })

  it('takes variables from the environment and else their defaults', async () => {
    vi.stubEnv('SEED_TEST_TITLE', 'from outside')
    onTestFinished(() => void vi.unstubAllEnvs())
    const domain = shop()
    const yaml =
      'data: { shop: { Tag: [{ title: "${SEED_TEST_TITLE}", note: "${SEED_TEST_NONE:a:b} ${SEED_TEST_NONE:}" }] } }'
    await start(STORES, yaml, { plugins: [domain.plugin] })
    expect(domain.records[0]?.data).toMatchObject({ title: 'from outside', note: 'a:b ' })
  })
})

describe('a manifest that cannot be applied', () => {
  const tag = (record: string) => `data:\n  shop:\n    Tag:\n      - ${record}\n`

  it.each([
    ['is no map', '- a', /seed\.yaml:1: .*expected object/],
    ['is cut off', 'users:\n  - { username: a', /seed\.yaml:\d+:\d+: /],
    ['says a key twice', 'roles: []\nroles: []', /seed\.yaml:2:1: duplicated mapping key/],
    ['has several documents', '---\na: 1\n---\nb: 1', /several documents/],
    ['has an unknown key', 'role: []', /seed\.yaml:1: unknown key 'role' \(did you mean 'roles'\?\)/],
    [
      'has several faults',
      'users:\n  - username: a\n    email: a@example.com\n    pasword: x\n',
      /seed\.yaml:2: 'users\.0\.password' is required; line 4: unknown key 'users\.0\.pasword' \(did you mean 'password'\?\)/,
    ],
    ['has a wrong type', 'roles:\n  - name: 5\n', /seed\.yaml:2: 'roles\.0\.name': .*expected string/],
    [
      'names an unset variable',
      tag('{ title: "${SEED_TEST_NONE}" }'),
      /seed\.yaml:4: the variable 'SEED_TEST_NONE' is not set/,
    ],
    [
      'names no domain',
      'data:\n  shpo:\n    Tag: [{}]',
      /seed\.yaml:2: there is no domain 'shpo'\. Did you mean 'shop'\?/,
    ],
    [
      'names no resource',
      'data:\n  shop:\n    Tga: [{}]',
      /seed\.yaml:3: domain 'shop' has no resource 'Tga'\. Did you mean 'Tag'\?/,
    ],
    [
      'refers to no record',
      tag('{ _key: red, a: [$Tag.rde] }'),
      /seed\.yaml:4: no record of 'Tag' has the _key 'rde'\. Did you mean '\$Tag\.red'\?/,
    ],
    ['refers to no user', tag('{ a: $user.nobody }'), /seed\.yaml:4: there is no user 'nobody'/],
    [
      'says a _key twice',
      tag('{ _key: a }\n      - { _key: a }'),
      /seed\.yaml:5: the _key 'a' stands twice in 'Tag'/,
    ],
    [
      'has a _key where keys are counted',
      'data: { shop: { Counter: [{ _key: a }] } }',
      /keys of 'Counter' cannot be made of a _key/,
    ],
    [
      'has a record that is refused',
      tag('{ _key: red, title: bad }'),
      /seed\.yaml:4: 'Tag\.red' is refused: .*title: no good title/,
    ],
    ['has a NUL', tag('{ title: "\\0" }'), /seed\.yaml:4: 'Tag' is refused: .*NUL/],
    [
      'has a weak password',
      PEOPLE.replace('Correct-horse-7', 'weak'),
      /seed\.yaml:5: user 'root\.ada': .*too weak/,
    ],
    [
      'gives a role that is not there',
      PEOPLE.replace('[admin, editor]', '[ghost]'),
      /user 'root\.ada': .*no role 'ghost'/,
    ],
    ['makes a role with a reserved name', 'roles: [{ name: owner }]', /seed\.yaml:1: role 'owner': /],
    ['is a bomb', bomb(), /more than 1000000 values/],
    ['is nested without end', `data: ${'['.repeat(5000)}`, /seed\.yaml/],
  ])('ends the start when it %s', async (_, yaml, reason) => {
    await expect(start(STORES, yaml, { plugins: [shop().plugin] })).rejects.toThrow(reason)
  })

  it('writes nothing when a fault can be found before', async () => {
    const database = await STORES[0]!.open()
    onTestFinished(() => database.drop())
    const yaml = `${PEOPLE}\ndata: { shop: { Ghost: [{}] } }`
    await expect(start(STORES, yaml, { database, plugins: [shop().plugin] })).rejects.toThrow(/Ghost/)
    const { accounts } = await start(STORES, '', { database })
    expect(await accounts.find('bob')).toBeUndefined()
  })

  it('is not there', async () => {
    const section = { seed_file: '/nowhere/seed.yaml' }
    await expect(start(STORES, '', { section })).rejects.toThrow(/\/nowhere\/seed\.yaml cannot be read/)
  })
})

describe('configuration', () => {
  it('needs a file to run at start', async () => {
    const section = { seed_file: undefined }
    await expect(start(STORES, '', { section })).rejects.toThrow(/'seeder\.seed_file'.* is required/)
  })

  it('does nothing unless asked, and nothing at all when switched off', async () => {
    const idle = await start(STORES, PEOPLE, { section: { run_on_start: false } })
    expect(await idle.accounts.find('bob')).toBeUndefined()
    expect((await idle.run()).users).toEqual({ created: 2, skipped: 0 })
    const off = await start(STORES, PEOPLE, { section: { enabled: false } })
    expect(await off.accounts.find('bob')).toBeUndefined()
    await expect(off.run()).rejects.toThrow(/switched off/)
  })
})

/** A small text that stands for 9^9 values. */
function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, i) => {
    const inner = Array.from({ length: 9 }, () => (i === 0 ? 'x' : `*a${i - 1}`)).join(',')
    return `        f${i}: &a${i} [${inner}]`
  })
  return `data:\n  shop:\n    Tag:\n      -\n${levels.join('\n')}\n`
}
