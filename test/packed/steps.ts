import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { BESIDE } from '../../apps/setup/bundle.mjs'
import { createAdmin, signIn, startServer, testConfig } from '../kit/server-process.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LOYALTY = join(ROOT, 'test/fixtures/loyalty/loyalty.ts')
/** What a foreign author says of compilation; nothing of the repository is in it. */
const COMPILER = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
    rootDir: '.',
    outDir: 'built',
  },
  files: ['loyalty.ts'],
}
/** The folder of the guide's plugins. */
const GUESTS = join(ROOT, 'test/fixtures/third-party-plugin')
const SHOP = `
domain:
  name: shop
  version: '1.0'
  resources:
    Rating:
      object: { title: { type: string, required: true }, stars: stars }
`

const ANYBODY = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'] }"
/** What asks plugins, by the copies that they have of contracts, about a model that the server's own have made. */
const POST = `
domain:
  name: post
  version: '1'
  resources:
    Maker: { object: { name: string }, permissions: ${ANYBODY} }
    Parcel:
      object: { title: string, grams: integer, area: string }
      relationships: { maker: { type: belongsTo, target: Maker } }
      stickers:
        when: maker.name == 'Acme'
        text: concat($printer, ' ', title, ' of ', maker.name)
        heavy: grams > limit
      locks: [ice]
      permissions: ${ANYBODY}
  boards:
    all: { resource: Parcel, where: grams < below, columns: [title], news: maker.name == 'Acme' }
`

const NEWS = `
import { definePlugin } from '@svc/kernel'
export const plugin = definePlugin({
  name: 'news',
  phase: 'domain',
  setup: ({ bus, log }) => void bus.on('boards.news', ({ board }) => log.info({ board }, 'news.heard')),
})
`
const SCRIPT = "on('svc.shop.rating.created', ({ id }, { log }) => log.info('heard of', id))"

/** What `tar` finds in tarballs, laid where npm would lay it, beside links to packages that are installed here. */
export function unpack(tarballs: readonly string[], folder: string): void {
  for (const tarball of tarballs) {
    const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
    const { name } = JSON.parse(manifest) as { name: string }
    const to = join(folder, 'node_modules', name)
    mkdirSync(to, { recursive: true })
    execFileSync('tar', ['-xzf', tarball, '-C', to, '--strip-components=1'])
  }
  for (const name of BESIDE) link(name, 'apps/server', folder)
  link('hono', 'plugins/rest', folder)
  link('@types/node', '.', folder)
  for (const name of ['zod', 'eventemitter3', 'fastest-levenshtein', 'uuid']) link(name, 'kernel', folder)
}

function link(name: string, from: string, folder: string): void {
  const to = join(folder, 'node_modules', name)
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(join(ROOT, from, 'node_modules', name), to, 'dir')
}

/** Compiles the plugin against the declarations that came with the packages, and installs it; answers its name. */
export function compilePlugin(folder: string): string {
  const plugin = join(folder, 'plugin')
  mkdirSync(plugin)
  cpSync(LOYALTY, join(plugin, 'loyalty.ts'))
  writeFileSync(join(plugin, 'package.json'), JSON.stringify({ type: 'module', main: 'built/loyalty.js' }))
  writeFileSync(join(plugin, 'tsconfig.json'), JSON.stringify(COMPILER))
  const tsc = createRequire(import.meta.url).resolve('typescript/package.json')
  const { status, stdout } = spawnSync(process.execPath, [join(dirname(tsc), 'bin/tsc'), '-p', plugin])
  expect([status, stdout.toString()]).toEqual([0, ''])
  symlinkSync(plugin, join(folder, 'node_modules/loyalty'), 'dir')
  return 'loyalty'
}

/** Runs the program that lies in the folder with the plugin, and uses both as somebody would who has installed them. */
export async function useServer(folder: string, plugin: string): Promise<void> {
  const program = join(folder, 'node_modules/svc/dist/main.js')
  writeFileSync(join(folder, 'shop.yaml'), SHOP)
  mkdirSync(join(folder, 'scripts'))
  writeFileSync(join(folder, 'scripts/heard.js'), SCRIPT)
  const plugins = ['rest', 'ratelimit', 'sqlite', 'auth', 'domain', 'openapi', 'scripting']
  const config = join(folder, 'svc.json')
  const sections = testConfig({
    sqlite: { path: 'shop.db' },
    domain: { domain_file: 'shop.yaml' },
    // A busy machine may take its time over a script.
    scripting: { dir: 'scripts', timeout_ms: 30_000 },
  })
  const used = { use: plugin, config: { most: 1 } }
  writeFileSync(config, JSON.stringify({ ...sections, plugins: [...plugins, used] }))
  const password = await createAdmin(config, { program })
  const server = await startServer(config, { program })
  try {
    const token = await signIn(server.request, password)
    const rated = { title: 'Bell', stars: 5 }
    const made = await server.request('POST', '/api/v1/shop/ratings', { token, body: rated })
    expect([made.status, made.body.data]).toEqual([201, expect.objectContaining(rated)])
    const six = await server.request('POST', '/api/v1/shop/ratings', { token, body: { ...rated, stars: 6 } })
    expect([six.status, six.body.errors[0].rule]).toEqual([422, 'stars'])
    const first = await server.request('POST', '/api/v1/loyalty/cards/7')
    expect([first.status, first.body.data]).toEqual([201, { stamps: 1 }])
    const second = await server.request('POST', '/api/v1/loyalty/cards/7')
    expect([second.status, second.body.error_code]).toEqual([409, 'CONFLICT'])
    const page = await server.request('GET', '/api/v1/docs/assets/swagger-ui.css')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    await server.logged('script.says')
  } finally {
    expect(await server.stop()).toBe(0)
  }
}

/** Runs plugins of the guide as they are, and uses what they do by functions of the contracts. */
export async function useGuests(folder: string): Promise<void> {
  const program = join(folder, 'node_modules/svc/dist/main.js')
  writeFileSync(join(folder, 'post.yaml'), POST)
  writeFileSync(join(folder, 'news.js'), NEWS)
  const guests = ['boards.js', 'stickers.js', 'locks.js']
  for (const name of guests) cpSync(join(GUESTS, name), join(folder, name))
  const plugins = ['rest', 'ratelimit', 'sqlite', 'auth', 'domain', './news.js']
  const config = join(folder, 'guests.json')
  const sections = testConfig({
    sqlite: { path: 'post.db' },
    domain: { domain_file: 'post.yaml' },
  })
  const used = [...plugins, ...guests.map((name) => `./${name}`)]
  writeFileSync(config, JSON.stringify({ ...sections, plugins: used }))
  const server = await startServer(config, { program })
  try {
    const ask = async (method: string, path: string, body?: object) =>
      server.request(method, `/api/v1/post/${path}`, body && { body })
    const { body: acme } = await ask('POST', 'makers', { name: 'Acme' })
    const made = { makerId: acme.data.id, grams: 3 }
    const { status, body: ice } = await ask('POST', 'parcels', { ...made, title: 'ice' })
    expect(status).toBe(201)
    await ask('POST', 'parcels', { grams: 3, title: 'salt' })
    expect((await ask('PATCH', `parcels/${ice.data.id}`, { grams: 4 })).status).toBe(409)
    const locks = await ask('GET', 'parcels/locks')
    expect(locks.body.data).toEqual({ passed: ['ice'], refused: ['ice'] })
    const stickers = await ask('GET', 'parcels/stickers?limit=1')
    expect(stickers.body.data.printed).toEqual(['left ice of Acme'])
    const door = await server.request('GET', '/locked')
    expect([door.status, door.body.error_code]).toEqual([409, 'CONFLICT'])
    expect(await server.logged('news.heard')).toMatchObject({ board: 'all' })
  } finally {
    expect(await server.stop()).toBe(0)
  }
  expect(server.output.stderr).toBe('')
}
