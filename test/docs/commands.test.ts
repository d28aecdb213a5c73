import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../kit/brokers.ts'
import {
  createAdmin,
  createFolder,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import { blocksOf as blocksIn } from './page-in-a-shell.ts'
import { startPage } from './page-that-follows.ts'
import { saidAndShown } from './said.ts'

// What the pages have people type is typed here, by a shell. A test puts in an address, a password and a free port.

const ROOT = join(import.meta.dirname, '../..')
const WORKSHOP = join(ROOT, 'apps/server/examples/workshop')

/** The fenced blocks of a page in a language, in their order. */
const blocksOf = (page: string, language: string): readonly string[] =>
  [
    ...readFileSync(join(ROOT, page), 'utf8').matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g')),
  ].map(([, text]) => text!)

/** The one of the blocks that has this in it. */
function blockWith(blocks: readonly string[], text: string): string {
  const found = blocks.filter((block) => block.includes(text))
  expect(found, `blocks with ${text}`).toHaveLength(1)
  return found[0]!
}

function temporary(): TestFolder {
  const folder = createFolder()
  onTestFinished(() => folder.remove())
  return folder
}

/** Runs a script until one of its commands fails, inside of a pipe too; answers what it printed. */
async function bash(script: string, cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 }
  const { stdout, stderr } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], options)
  expect(stderr).toBe('')
  return stdout
}

/** A block in which a value that people put in themselves is put in. */
function withValue(block: string, written: string | RegExp, value: string): string {
  expect(block).toMatch(written)
  return block.replace(written, () => value)
}

/** The codes of the refusals among answers that follow each other; the API document shows some too, inside of it. */
const codesIn = (answers: string): readonly string[] =>
  [...answers.matchAll(/(?<=^|[\n}]){"status":"error","code":\d+,"error_code":"(\w+)"/g)].map(
    ([, code]) => code!,
  )

/** The lines of a block that people type: comments are not, nor what stands behind them. */
const typed = (block: string): readonly string[] =>
  block.split('\n').flatMap((line) => line.replace(/(^|\s+)#.*$/, '') || [])

describe('README.md', () => {
  const shell = blocksOf('README.md', 'sh')
  const known = ['npm test', 'curl', 'svc init', 'svc apply']

  it('has no command that nobody runs here', () => {
    expect(shell.filter((block) => !known.some((text) => block.includes(text)))).toEqual([])
  })

  it('starts by scripts that there are; welcome.test.ts runs what the first of them does', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    for (const line of typed(blockWith(shell, 'npm test')))
      expect(scripts).toHaveProperty(line.split(' ').at(-1)!)
  })

  it('leads from a definition to records over HTTP', async () => {
    const folder = temporary()
    folder.write(blockWith(blocksOf('README.md', 'yaml'), 'name: blog'), 'blog.yaml')
    const config = folder.write(testConfig({ sqlite: { path: 'svc.db' } }))
    const password = await createAdmin(config)
    const server = await startServer(config)
    onTestFinished(async () => void (await server.stop()))
    const addressed = withValue(blockWith(shell, 'curl'), /^API=.*$/m, `API=${server.url}/api/v1`)
    const answers = await bash(withValue(addressed, '<printed at the first start>', password), folder.path)
    expect(answers).toMatch(/"count":1,.*"title":"Hello there"|"title":"Hello there".*"count":1,/)
    expect(codesIn(answers)).toEqual(['VALIDATION_ERROR'])
  })

  it('makes a project, starts it, and applies a change', async () => {
    const folder = temporary()
    symlinkSync(join(ROOT, 'apps'), join(folder.path, 'apps'))
    const lines = typed(blockWith(shell, 'svc init'))
    const script = lines.flatMap((line) =>
      line.includes('--first-admin')
        ? [
            `sed -i 's/8080/0/' shop/svc.json`,
            // There before the shell looks into it, whichever of the two jobs comes first.
            `touch log`,
            `${line} >> log &`,
            `until grep -q 'is ready' log; do sleep 0.1; done`,
          ]
        : [line],
    )
    // The server is a job of its own, which ends with the shell whatever happens.
    const job = `set -m; trap 'exec 2>/dev/null; kill -TERM -- -$!; wait $! || true' EXIT`
    const printed = await bash([job, ...script, blockWith(shell, 'svc apply')].join('\n'), folder.path)
    expect(printed).toContain('shop: from 0.1.0 to 0.1.0, no changes')
    expect(printed).toContain('shop 0.1.0 was applied already')
    expect(readFileSync(join(folder.path, 'log'), 'utf8')).toMatch(/Password .*of admin, shown this once/)
  })
})

describe('docs/records.md', () => {
  const blocks = blocksIn(readFileSync(join(ROOT, 'docs/records.md'), 'utf8'))
  const SHELL = 'sh'
  const DONE = '=== done\n'

  it('has calls that answer what it says', async () => {
    const folder = temporary()
    folder.write(blocks.find(({ language }) => language === 'yaml')!.text, 'domain.yaml')
    const sections = { sqlite: { path: 'svc.db' }, domain: { domain_file: 'domain.yaml' } }
    const config = folder.write(testConfig(sections))
    const password = await createAdmin(config)
    const server = await startServer(config)
    onTestFinished(async () => void (await server.stop()))
    const script = blocks.flatMap(({ language, text }) =>
      language === SHELL ? `${text}printf '${DONE}'\n` : [],
    )
    const addressed = withValue(script.join(''), /^BASE=http:\/\/127\.0\.0\.1:8080/m, `BASE=${server.url}`)
    const token = await signIn(server.request, password)
    const outputs = (await bash(addressed, folder.path, { TOKEN: token })).split(DONE)
    let ran = 0
    for (const { language, text, line } of blocks) {
      if (language === SHELL) ran++
      if (language === SHELL || language === 'yaml') continue
      const { said, shown } = saidAndShown(outputs[ran - 1] ?? '', text)
      expect({ line, said }).toMatchObject({ line, said: shown })
    }
  })
})

describe('the page of the example', () => {
  it('has calls that answer what it says', async () => {
    const folder = temporary()
    cpSync(WORKSHOP, folder.path, { recursive: true })
    const config = JSON.parse(readFileSync(join(WORKSHOP, 'config.json'), 'utf8'))
    const file = folder.write({ ...config, rest: { port: 0 }, logging: { format: 'json' } })
    const password = 'Workshop-demo-7'
    const env = {
      SVC_DATA: folder.path,
      SVC_JWT_SECRET: 'a secret of tests that is long enough',
      SVC_DEMO_PASSWORD: password,
      SVC_DOMAIN_WORKSHOP_KEYS: process.env['SVC_DOMAIN_WORKSHOP_KEYS'],
    }
    const server = await startServer(file, { env })
    onTestFinished(async () => void (await server.stop()))
    const calls = blockWith(blocksOf('apps/server/examples/workshop/README.md', 'sh'), 'base=')
    const addressed = withValue(calls, /^base=.*$/m, `base=${server.url}`)
    const answers = await bash(
      withValue(addressed, 'the password that npm start printed', password),
      folder.path,
    )
    expect(codesIn(answers)).toEqual([
      'TRANSITION_DENIED',
      'VALIDATION_ERROR',
      'MEDIA_REFERENCED',
      'VALIDATION_ERROR',
      'CONFLICT',
      'UNAVAILABLE',
    ])
    expect(answers).toMatch(/"written":\[\{"resource":"Invoice","action":"transition","id":"[^"]+"\}\]/)
    expect(answers).toMatch(/"listed":\d+/)
    expect(answers).toContain('"status":"unconfigured"')
    expect(answers).toMatch(/"url":"https:\/\/catalogue\.[^"]*\/price\?currency=GBP&quantity=10"/)
    expect(answers).toContain('"x-api-key":"[REDACTED]"')
    for (const name of ['invoice', 'collectionSlip']) expect(answers).toContain(`"templateName":"${name}"`)
    expect(readFileSync(join(folder.path, 'invoice.pdf')).subarray(0, 5).toString()).toBe('%PDF-')
    expect(answers).toContain('"regulation":"Tax records have to be kept')
    expect(answers).toMatch(/"action":"unrestrict"[^]*"action":"restrict"[^]*"action":"consent/)
    // What was followed live.
    expect(answers).toMatch(/\nevent: ready\n/)
    expect(answers).toMatch(/\nevent: created\ndata: [^\n]*"note":"Test ride, brakes bled\."/)
  }, 120_000)

  it('has a wrench to listen to, over a broker of MQTT', async () => {
    const broker = await startMosquitto()
    const folder = temporary()
    cpSync(WORKSHOP, folder.path, { recursive: true })
    // Beside the workshop or without it: here somebody of role admin does what Ruth and Marek do.
    const outbound = { allow_private: [`127.0.0.1:${broker.port}`] }
    const file = folder.write(testConfig({ sqlite: { path: 'svc.db' }, outbound }))
    const env = { SVC_DOMAIN_WRENCH_URL: broker.url }
    const password = await createAdmin(file, { env })
    const server = await startServer(file, { env })
    onTestFinished(async () => {
      await server.stop()
      await broker.stop()
    })
    const token = await signIn(server.request, password)
    const known = [`base=${server.url}`, `ruth=${token}`, `marek=${token}`]
    const page = blocksOf('apps/server/examples/workshop/README.md', 'sh')
    const calls = blockWith(page, 'torque.yaml').replaceAll('-p 1883', `-p ${broker.port}`)
    const answers = await bash([...known, calls].join('\n'), folder.path)
    expect(codesIn(answers)).toEqual([])
    expect([...answers.matchAll(/"bolt":"(\w+)"/g)].map(([, bolt]) => bolt)).toEqual(['crank', 'stem'])
    expect(answers).toContain('"code":"BAD_REQUEST"')
    expect(answers).toMatch(/"stand":2,.*"newtonMetres":"?38\.5/)
  }, 120_000)
})

// The page runs in every browser; here it has the few things that it asks of one.
describe('the page of the example that follows', () => {
  const script =
    readFileSync(join(WORKSHOP, 'follow.html'), 'utf8').match(/<script>([^]*)<\/script>/)?.[1] ?? ''

  it('signs in, takes a ticket, shows what is told, and comes back by itself', async () => {
    const folder = temporary()
    const file = folder.write(testConfig({ sqlite: { path: 'svc.db' } }))
    const password = await createAdmin(file)
    let server = await startServer(file)
    onTestFinished(async () => void (await server.stop()))
    const { body } = await server.request('POST', '/api/v1/auth/login', {
      body: { username: 'admin', password },
    })
    const token = body.data.access_token
    const definition = { name: 'shop', version: '1.0.0', resources: { Note: { object: { text: 'string' } } } }
    const content = JSON.stringify({ domain: definition })
    await server.request('POST', '/api/v1/domains', { token, body: { content } })
    const note = (text: string) => server.request('POST', '/api/v1/shop/notes', { token, body: { text } })

    const page = startPage(script, { base: server.url, domain: 'shop', username: 'admin', password })
    page.submit()
    await expect.poll(() => page.state(), { timeout: 10_000 }).toContain('Connected')
    await note('<b>one</b>')
    await expect.poll(() => page.shown(), { timeout: 10_000 }).toHaveLength(1)
    expect(page.shown()[0]).toMatch(/^Note created by admin at /)
    expect(page.shown()[0]).toContain('<b>one</b>')
    // The server goes away and comes back at the same place: what happened meanwhile is told.
    const port = Number(new URL(server.url).port)
    await server.stop()
    server = await startServer(folder.write(testConfig({ sqlite: { path: 'svc.db' }, rest: { port } })))
    await note('two')
    await expect.poll(() => page.shown(), { timeout: 20_000 }).toHaveLength(2)
    expect(page.shown()[0]).toContain('two')
    page.stop()
  }, 60_000)
})
