import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { run } from '../../../apps/server/src/run.ts'
import { createFolder, type ServerProcess, startServer, testConfig } from '../../kit/server-process.ts'
import { STORES, type StoreUnderTest } from '../../kit/stores.ts'

const ROOT = `domain:
  name: notes
  version: '1'
  $include: [part.yaml]
  resources:
    Note:
      object: { text: string }
      permissions: { list: ['*'], create: ['*'] }
`
const part = (fields: string) => `resources:
  Tag:
    object: { ${fields} }
    permissions: { list: ['*'], create: ['*'] }
`

/** A server over two definition files, one of which includes the other. */
async function start(store: StoreUnderTest, sections: object = {}) {
  const folder = createFolder()
  const database = await store.open()
  onTestFinished(async () => {
    await database.drop()
    folder.remove()
  })
  folder.write(ROOT, 'notes.yaml')
  folder.write(part('name: string, colour: string'), 'part.yaml')
  const config = folder.write(
    testConfig({ ...database.config(), domain: { domain_file: 'notes.yaml' }, ...sections }),
  )
  const server = await startServer(config)
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await server.exited
  })
  await server.logged('server.ready')
  return { folder, config, server }
}

/** The names of the fields that a new tag has. */
async function fieldsOfTags({ request }: ServerProcess): Promise<readonly string[]> {
  const { body } = await request('POST', '/api/v1/notes/tags', { body: {} })
  return Object.keys(body.data ?? {}).filter((name) => name !== 'id')
}

/** Runs a command in this process: it needs a server, not a process of its own. */
async function svc(...args: readonly string[]) {
  const written = { stdout: '', stderr: '' }
  const code = await run(args, {
    out: (text) => void (written.stdout += text),
    err: (text) => void (written.stderr += text),
  })
  return { code, ...written }
}

for (const store of STORES) {
  describe(`svc apply on ${store.name}`, () => {
    it('puts the files of the configuration in force, by the socket that is there unless said (ruling 1.2)', async () => {
      const { folder, config, server } = await start(store)
      const apply = (...args: readonly string[]) => svc('apply', '--config', config, ...args)
      expect(await apply()).toEqual({ code: 0, stdout: 'notes 1 was applied already\n', stderr: '' })

      folder.write(part('name: string, colour: string, size: integer, rank: integer'), 'part.yaml')
      const seen = await apply('--preview')
      expect([seen.code, seen.stdout]).toEqual([
        0,
        expect.stringMatching(/^notes: from 1 to 1, 2 steps\n\+ /),
      ])
      expect(await fieldsOfTags(server)).toEqual(['name', 'colour'])
      expect(await apply()).toEqual({
        code: 0,
        stdout: 'notes 1 is in force: 2 schema statements\n',
        stderr: '',
      })
      expect(await fieldsOfTags(server)).toEqual(['name', 'colour', 'size', 'rank'])
    })

    it('refuses with 1 and leaves in force what was: faults by file and line, losses unless they are accepted', async () => {
      const { folder, config, server } = await start(store)
      folder.write(part('name: strin, colour: string'), 'part.yaml')
      folder.write(ROOT.replace('text: string', 'text: txt'), 'notes.yaml')
      for (const more of [[], ['--preview']]) {
        const { code, stdout, stderr } = await svc('apply', '--config', config, ...more)
        expect([code, stdout]).toEqual([1, ''])
        const [root, included] = ['notes.yaml:7:23', 'part.yaml:3:21'].map((at) => join(folder.path, at))
        expect(stderr).toContain(`${root}: domain.resources.Note.object.text.type: `)
        expect(stderr).toContain(`${included}: domain.resources.Tag.object.name.type: `)
      }
      expect(await fieldsOfTags(server)).toEqual(['name', 'colour'])

      folder.write(ROOT, 'notes.yaml')
      folder.write(part('name: string'), 'part.yaml')
      const refused = await svc('apply', '--config', config)
      expect([refused.code, refused.stdout]).toEqual([1, ''])
      expect(refused.stderr).toMatch(/colour[^]*--allow-destructive/)
      expect(await fieldsOfTags(server)).toEqual(['name', 'colour'])
      const applied = await svc('apply', '--config', config, '--allow-destructive')
      expect([applied.code, applied.stderr]).toEqual([0, ''])
      expect(await fieldsOfTags(server)).toEqual(['name'])
    })

    it('of a file that is not configured stands at the next start, until the configured one changes (ruling 1.4)', async () => {
      const { folder, config, server } = await start(store)
      const applied = async (name: string) =>
        (await svc('apply', join(folder.path, name), '--config', config)).stdout
      const again = async (before: ServerProcess) => {
        before.kill('SIGKILL')
        await before.exited
        const next = await startServer(config)
        onTestFinished(async () => {
          next.kill('SIGKILL')
          await next.exited
        })
        await next.logged('server.ready')
        return next
      }
      folder.write(ROOT.replace('part.yaml', 'more.yaml'), 'hotfix.yaml')
      folder.write(part('name: string, colour: string, size: integer'), 'more.yaml')
      expect(await applied('hotfix.yaml')).toContain('is in force')
      expect(await applied('hotfix.yaml')).toContain('was applied already')
      const second = await again(server)
      expect(await fieldsOfTags(second)).toEqual(['name', 'colour', 'size'])

      folder.write(part('name: string, colour: string, size: integer, rank: integer'), 'part.yaml')
      const third = await again(second)
      expect(await fieldsOfTags(third)).toEqual(['name', 'colour', 'size', 'rank'])

      folder.write(
        part('name: string, colour: string, size: integer, rank: integer, code: string'),
        'more.yaml',
      )
      expect(await applied('hotfix.yaml')).toContain('is in force')
      const back = await svc('apply', '--config', config)
      expect([back.code, back.stderr]).toEqual([1, expect.stringMatching(/code[^]*--allow-destructive/)])
    })
  })

  describe(`a file that changes while the server runs on ${store.name}`, () => {
    it('counts in development, its includes too, and in production not unless said', async () => {
      const developing = await start(store, { environment: 'development' })
      const producing = await start(store, {})
      for (const { folder } of [developing, producing])
        folder.write(part('name: string, size: integer, colour: string'), 'part.yaml')
      await expect.poll(() => fieldsOfTags(developing.server), { timeout: 20_000 }).toContain('size')
      expect(await fieldsOfTags(producing.server)).toEqual(['name', 'colour'])
    })

    it('and cannot be used leaves the old one in force, and the log says why, once', async () => {
      const domain = { domain_file: 'notes.yaml', watch: true }
      const { folder, server } = await start(store, { domain })
      folder.write(part('name: strin'), 'part.yaml')
      const { reasons } = await server.logged('domain.file_refused')
      expect(reasons).toEqual([expect.stringContaining("there is no field type 'strin'")])
      expect(await fieldsOfTags(server)).toEqual(['name', 'colour'])

      folder.write(part('name: string'), 'part.yaml')
      const refusals = () =>
        server.output.stdout.split('\n').filter((line) => line.includes('domain.file_refused'))
      await expect.poll(() => refusals().at(-1), { timeout: 20_000 }).toContain('would lose data')
      expect(refusals().at(-1)).toContain('svc apply --allow-destructive')
      expect(await fieldsOfTags(server)).toEqual(['name', 'colour'])
      expect(refusals()).toHaveLength(2)

      folder.write(part('name: string, colour: string, size: integer'), 'part.yaml')
      await expect.poll(() => fieldsOfTags(server), { timeout: 20_000 }).toContain('size')
    })
  })
}

describe('svc apply', () => {
  it('says what to do where no server runs, where it has no socket, and where nothing is to be applied', async () => {
    const folder = createFolder()
    onTestFinished(() => folder.remove())
    const config = (sections: object) => folder.write(testConfig({ sqlite: { path: 'svc.db' }, ...sections }))
    const apply = async (sections: object, ...args: readonly string[]) => {
      const { code, stderr } = await svc('apply', '--config', config(sections), ...args)
      return [code, stderr]
    }
    const nobody = expect.stringMatching(/^svc: management: no server listens on '.*svc\.sock'\. Start it/)
    expect(await apply({}, 'a.yaml')).toEqual([1, nobody])
    expect(await apply({ management: { socket: false } }, 'a.yaml')).toEqual([
      1,
      expect.stringContaining('has no socket'),
    ])
    expect(await apply({})).toEqual([2, expect.stringContaining("names none in 'domain.domain_file'")])
  })
})
