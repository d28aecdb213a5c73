import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../run.ts'

/** It requires the HTTP server, and adds the key `locks`. */
const LOCKS = fileURLToPath(new URL('../../../../test/fixtures/third-party-plugin/locks.js', import.meta.url))
const DEFINITION = `domain:
  name: post
  version: '1.0'
  resources:
    Parcel: { object: { title: string }, locks: [ice] }
`

async function svc(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' }
  const code = await run(args, {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
  })
  return { code, ...written }
}

describe('beside a server, with a plugin that hangs something on it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-beside-'))
  const here = process.cwd()
  const server = createServer()
  const definition = join(folder, 'post.yaml')
  const config = join(folder, 'svc.json')

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    writeFileSync(definition, DEFINITION)
    writeFileSync(join(folder, 'seed.yaml'), 'roles: [{ name: clerk, description: Packs }]\n')
    const content = {
      plugins: ['rest', 'sqlite', 'auth', 'ratelimit', 'domain', 'seeder', LOCKS],
      logging: { level: 'error' },
      rest: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
      auth: { jwt: { secret: 'a secret of tests that is long enough' } },
      sqlite: { path: 'post.db' },
      seeder: { seed_file: 'seed.yaml' },
    }
    writeFileSync(config, JSON.stringify(content))
  })
  afterAll(() => {
    server.close()
    process.chdir(here)
    rmSync(folder, { recursive: true })
  })

  it('a definition is validated', async () => {
    expect(await svc('validate', definition, '--config', config)).toMatchObject({ code: 0, err: '' })
  })

  it('the language is told, and types are made', async () => {
    expect((await svc('schema', '--config', config)).out).toContain('"locks"')
    expect((await svc('types', definition, '--config', config)).out).toContain('export interface Parcel')
  })

  it('no plugin begins its work over a store that is not its own, and no secret is needed for it', async () => {
    const plugin = `import { writeFileSync } from 'node:fs'
export default {
  name: 'consumer',
  phase: 'domain',
  setup: ({ onOpen }) => onOpen(() => writeFileSync('begun', '')),
}`
    writeFileSync(join(folder, 'consumer.mjs'), plugin)
    const bytes = join(folder, 'kept/2025/01/0194fdc2-fa2f-7cc0-81d3-ff1204554d4c.txt')
    mkdirSync(dirname(bytes), { recursive: true })
    writeFileSync(bytes, 'of an upload')
    utimesSync(bytes, 0, 0)
    const standing = (root: string, more: object = {}) => {
      const path = join(folder, 'consuming.json')
      const content = {
        plugins: ['rest', 'sqlite', 'auth', 'domain', 'files', './consumer.mjs'],
        auth: { jwt: { secret: '${NO_SUCH_SECRET}' } },
        files: { root, ...more },
      }
      writeFileSync(path, JSON.stringify(content))
      return path
    }
    expect(await svc('validate', definition, '--config', standing('kept'))).toMatchObject({
      code: 0,
      err: '',
    })
    expect(await svc('validate', definition, '--config', standing('nowhere'))).toMatchObject({
      code: 0,
      err: '',
    })
    expect(['begun', 'nowhere', bytes].map((one) => existsSync(resolve(folder, one)))).toEqual([
      false,
      false,
      true,
    ])
    const wrong = standing('kept', { serve_public: '${NO_SUCH_SWITCH}' })
    expect((await svc('validate', definition, '--config', wrong)).err).toContain('NO_SUCH_SWITCH')
  })

  it('a definition is compared with a database that is not there, which is not made', async () => {
    const { code, out, err } = await svc('diff', definition, '--config', config)
    expect([code, err]).toEqual([0, expect.stringContaining("there is no database 'post.db' yet")])
    expect(out).toMatch(/^post: new to 1\.0/)
    expect(existsSync(join(folder, 'post.db'))).toBe(false)
  })

  it('the seed manifest is applied, and an administrator made', async () => {
    expect(await svc('seed', '--config', config)).toMatchObject({ code: 0, err: '' })
    expect((await svc('admin', 'create', '--config', config)).out).toContain('password:')
    expect((await svc('diff', definition, '--config', config)).err).toBe('')
  })
})
