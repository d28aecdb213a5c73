import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createRequest } from '../../kit/request.ts'
import {
  createFolder,
  type NodeProcess,
  runProgram,
  startNode,
  startProgram,
  type TestFolder,
  testConfig,
} from '../../kit/server-process.ts'

const START = fileURLToPath(new URL('../../../apps/setup/start.mjs', import.meta.url))
const EXAMPLE = fileURLToPath(new URL('../../../apps/server/examples/workshop', import.meta.url))

/** The block, with what stands under each label. */
const BLOCK = /\nsvc 0\.3\.1 is ready\n\n((?: {2}\S.*\n)+)\n/

let folder: TestFolder
beforeEach(() => void (folder = createFolder()))
afterEach(() => folder.remove())

const DEFINITION = `domain:
  name: notes
  version: '1'
  colour: red
  resurces: {}
  resources: { Note: { object: { text: string } } }
`

function configure(format: 'text' | 'json', more: object = {}): string {
  folder.write(DEFINITION, 'notes.yaml')
  const sections = { sqlite: { path: 'data/svc.db' }, domain: { domain_file: 'notes.yaml', db_path: 'x' } }
  return folder.write({ ...testConfig(sections), logging: { format, ...more } })
}

/** Runs it until its block is there; answers the lines by their labels, and all that was said before. */
async function started(server: NodeProcess) {
  onTestFinished(() => void server.stop('SIGKILL'))
  const found = await server.said(BLOCK)
  const lines = found[1]!.trimEnd().split('\n')
  const block = Object.fromEntries(lines.map((line) => line.trim().split(/ {2,}/) as [string, string]))
  return {
    block,
    before: found.input.slice(0, found.index),
    after: () => server.output.stdout.slice(found.index + found[0].length),
  }
}

async function signIn(api: string, username: string, password: string) {
  const request = createRequest(new URL(api).origin, fetch)
  return (await request('POST', '/api/v1/auth/login', { body: { username, password } })).status
}

/** Runs a command line as a shell would, from the folder that the server was started from. */
const inShell = (command: string) =>
  execFileSync('bash', ['-c', command], { cwd: folder.path, encoding: 'utf8' })

describe('a start whose log is JSON in a file', () => {
  it('ends with the block as well', async () => {
    const server = startProgram(['--config', configure('json', { file: { path: 'svc.log' } })])
    const { block, before } = await started(server)
    expect(block).toMatchObject({ Stop: 'Ctrl+C' })
    expect(before.trim()).toBe('')
    expect(readFileSync(join(folder.path, 'svc.log'), 'utf8')).toContain('"msg":"server.ready"')
  })
})

describe('a start in text', () => {
  it('ends with one block: address, docs, user, password; warnings of a kind stand before it in one line', async () => {
    const server = startProgram(['--config', configure('text'), '--first-admin'], { cwd: folder.path })
    const { block, before, after } = await started(server)
    const [, password] = /^(\S+) \(of admin, shown this once\)$/.exec(block['Password']!)!
    expect(block).toMatchObject({
      API: expect.stringMatching(/^http.*\/api\/v1$/),
      User: 'admin',
      Stop: 'Ctrl+C',
    })
    expect(block['Docs']).toBe(`${block['API']}/docs`)
    expect(await signIn(block['API']!, 'admin', password!)).toBe(200)
    expect(before.match(/ WARN /g)).toHaveLength(2)
    expect(before).toContain("'domain.db_path' and 'domain.app_db_path' have no effect")
    expect(before).toContain(
      "2 keys are not used by any loaded plugin: domain.resurces (Did you mean 'resources'?), domain.colour",
    )
    expect(after()).not.toContain('WARN')
    expect(await server.stop('SIGHUP')).toBe(0)
  })

  it('says a second time who administrates, and how to get in again', async () => {
    const config = configure('text')
    const first = startProgram([config, '--first-admin'], { cwd: folder.path })
    await started(first)
    await first.stop()
    const second = startProgram([config, '--first-admin'], { cwd: folder.path })
    const { block } = await started(second)
    expect([block['User'], block['Lost it?']]).toEqual(['admin', undefined])
    const [, command] = /^as it was set; a new one: (.*)$/.exec(block['Password']!)!
    const [, password] = /^password:\s+(\S+)$/m.exec(inShell(command!))!
    expect(await signIn(block['API']!, 'admin', password!)).toBe(200)
    await second.stop()
  })

  it('says how to make an administrator where there is none', async () => {
    const server = startProgram([configure('text')], { cwd: folder.path })
    const { block } = await started(server)
    const [, command] = /^no administrator yet: (.*)$/.exec(block['User']!)!
    const [, password] = /^password:\s+(\S+)$/m.exec(inShell(command!))!
    expect(await signIn(block['API']!, 'admin', password!)).toBe(200)
    await server.stop()
  })
})

it('a start in JSON writes nothing else to standard output, and a first password to the other', async () => {
  const server = startProgram([configure('json'), '--first-admin'])
  onTestFinished(() => void server.stop('SIGKILL'))
  await server.said(/"server\.ready".*\n/)
  const events = server.output.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const ready = events.find(({ msg }) => msg === 'server.ready')
  expect(ready).toMatchObject({ admins: ['admin'], docs: `${ready.api}/docs` })
  await expect
    .poll(() => server.output.stderr)
    .toMatch(/^administrator: admin, password: \S+ \(shown this once\)\n$/)
  const [, password] = /password: (\S+)/.exec(server.output.stderr)!
  expect(server.output.stdout).not.toContain(password)
  expect(await signIn(ready.api, 'admin', password!)).toBe(200)
})

it('a first start that fails says the password of the administrator that it has made', async () => {
  const config = configure('text')
  folder.write(DEFINITION.replace('text: string', 'text: strin'), 'notes.yaml')
  const { code, stderr } = await runProgram([config, '--first-admin'], { cwd: folder.path })
  expect(code).toBe(1)
  const [, password] = /^administrator: admin, password: (\S+) \(shown this once\)$/m.exec(stderr)!
  expect(stderr.trimEnd().split('\n').at(-1)).toContain("there is no field type 'strin'")
  folder.write(DEFINITION, 'notes.yaml')
  const { block } = await started(startProgram([config, '--first-admin'], { cwd: folder.path }))
  expect(await signIn(block['API']!, 'admin', password!)).toBe(200)
})

it('npm start keeps the demo password that it shows, and shows the same one each time', async () => {
  cpSync(EXAMPLE, join(folder.path, 'apps/server/examples/workshop'), { recursive: true })
  const config = join(folder.path, 'apps/server/examples/workshop/config.json')
  writeFileSync(config, readFileSync(config, 'utf8').replace('"port": 8080', '"port": 0'))
  const call = (env: NodeJS.ProcessEnv, ...args: readonly string[]) => {
    const script = `(await import(${JSON.stringify(pathToFileURL(START).href)})).start(${JSON.stringify(folder.path)}, ${JSON.stringify(args)})`
    return startNode(['--input-type=module', '--eval', script], { env })
  }
  const kept = () => readFileSync(join(folder.path, 'data/demo-password'), 'utf8')

  const first = call({})
  const { block } = await started(first)
  expect(block['Demo']).toBe(`every demo account: ${kept()} (kept in data/demo-password)`)
  expect(await signIn(block['API']!, 'hannah.whitby', kept())).toBe(200)
  const password = kept()
  // The example has nothing to be warned of behind the block either, once its scripts are looked at.
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(first.output.stdout.match(/^.*\bWARN\b.*script\..*$/gm)).toBeNull()
  await first.stop()

  const second = call({ SVC_DEMO_PASSWORD: 'Another-one-7' })
  const again = await started(second)
  expect([again.block['Demo'], kept()]).toEqual([block['Demo'], password])
  expect(await signIn(again.block['API']!, 'hannah.whitby', password)).toBe(200)
  expect(again.block['Password']).toBe('as it was set; a new one: npm start -- admin reset-password admin')
  const reset = await call({}, 'admin', 'reset-password', 'admin').said(/^password:\s+(\S+)$/m)
  expect(await signIn(again.block['API']!, 'admin', reset[1]!)).toBe(200)
  await second.stop()
})
