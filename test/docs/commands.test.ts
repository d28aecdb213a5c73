import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAdmin, createFolder, startServer, type TestFolder, testConfig } from '../kit/server-process.ts'

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
  })
})
