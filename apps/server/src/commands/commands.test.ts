import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { domain } from '@svc/domain'
import { createKernel, SYSTEM } from '@svc/kernel'
import { afterAll, describe, expect, it } from 'vitest'
import { STORES } from '../../../../test/kit/stores.ts'
import { COMMANDS } from '../command-line.ts'
import { run } from '../run.ts'
import { domainName } from './project.ts'

const WORKSHOP = fileURLToPath(new URL('../../examples/workshop/domain.yaml', import.meta.url))
const TSC = fileURLToPath(new URL('../../../../node_modules/.bin/tsc', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'svc-commands-'))
const here = process.cwd()
afterAll(() => {
  process.chdir(here)
  rmSync(folder, { recursive: true })
})

function file(name: string, content: string | object): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** Runs a command line; answers its exit code and what it wrote. */
async function svc(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' }
  const code = await run(args, {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
  })
  return { code, ...written }
}

const BLOG = `domain:
  name: blog
  version: '1.0'
  resources:
    Post:
      object:
        title: { type: string, required: true }
        size: integer
`
const WRONG = `domain:
  name: blog
  version: '1.0'
  resources:
    Post:
      colour: red
      object:
        title: strin
      permissions:
        update: hasRol('x')
`

describe('help', () => {
  it('is made of the commands', async () => {
    const { code, out } = await svc('--help')
    expect(code).toBe(0)
    for (const usage of ['svc validate <definition> [--json]', 'svc admin create --config <config.json>'])
      expect(out).toContain(usage)
  })
})

describe('help of a command', () => {
  it.each(COMMANDS.filter(({ words }) => words.length > 0).map(({ words }) => words.join(' ')))(
    'svc %s --help tells its usage and every option',
    async (words) => {
      const { code, out, err } = await svc(...words.split(' '), '--help')
      expect([code, err]).toEqual([0, ''])
      expect(out).toContain(`  svc ${words}`)
      const { options } = COMMANDS.find((one) => one.words.join(' ') === words)!
      for (const name of Object.keys(options)) expect(out).toContain(`  --${name}`)
    },
  )
})

describe('init', () => {
  it('makes a folder whose server starts, with a secret of its own that nobody else may read', async () => {
    const path = join(folder, 'My Shop 2')
    const { code, out, err } = await svc('init', path)
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Start it +\S.* --config .*svc\.json'? --first-admin$/m)
    expect(readdirSync(path).toSorted()).toEqual([
      '.env',
      '.gitignore',
      'definition.schema.json',
      'domain.yaml',
      'svc.json',
    ])
    expect(statSync(join(path, '.env')).mode & 0o777).toBe(0o600)
    const text = (name: string) => readFileSync(join(path, name), 'utf8')
    expect(text('domain.yaml')).toContain('name: my-shop-2')
    expect(text('domain.yaml').split('\n')[0]).toBe(
      '# yaml-language-server: $schema=./definition.schema.json',
    )
    expect(text('definition.schema.json')).toBe((await svc('schema')).out)
    expect(text('.gitignore').split('\n')).toContain('.env')
    const judged = await svc(
      'validate',
      join(path, 'domain.yaml'),
      '--strict',
      '--config',
      join(path, 'svc.json'),
    )
    expect(judged).toMatchObject({ code: 0, out: expect.stringContaining('0 problems, 0 warnings') })
    const other = join(folder, 'other')
    await svc('init', other)
    expect(readFileSync(join(other, '.env'), 'utf8')).not.toBe(text('.env'))
    // The commands beside the server find the secret where the server does.
    expect(await svc('admin', 'create', '--config', join(path, 'svc.json'))).toMatchObject({
      code: 0,
      err: '',
    })
  })

  it('overwrites nothing, and then writes nothing', async () => {
    const path = join(folder, 'taken')
    mkdirSync(path)
    writeFileSync(join(path, '.env'), 'MINE=1')
    const { code, out, err } = await svc('init', path)
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe(`svc: init: ${path} has .env already. Name another folder, or move them away\n`)
    expect([readdirSync(path), readFileSync(join(path, '.env'), 'utf8')]).toEqual([['.env'], 'MINE=1'])
    expect((await svc('init', join(path, '.env', 'below'))).code).toBe(1)
    expect((await svc('init', 'a', 'b')).code).toBe(2)
  })

  it.each([
    ['Shop', 'shop'],
    ['2nd try!', 'nd-try'],
    ['admin', 'my-admin'],
    ['Constructor', 'my-constructor'],
    ['日本', 'app'],
    ['x'.repeat(80), 'x'.repeat(36)],
  ])('calls the domain of the folder %s %s', (from, to) => expect(domainName(from)).toBe(to))
})

describe('validate', () => {
  it('says that a definition is valid, and what has no effect', async () => {
    const path = file('blog.yaml', `${BLOG}  colour: red\n`)
    expect(await svc('validate', path)).toEqual({
      code: 0,
      err: '',
      out: `${path}:9:3: domain.colour: warning: is not known here and has no effect\n${path} is valid (blog 1.0, 1 resource): 0 problems, 1 warning\n`,
    })
  })

  it('fails for warnings too where it is strict', async () => {
    const path = file('blog.yaml', `${BLOG}  colour: red\n`)
    const { code, out } = await svc('validate', path, '--strict')
    expect([code, out]).toEqual([1, (await svc('validate', path)).out])
    expect((await svc('validate', file('sound.yaml', BLOG), '--strict')).code).toBe(0)
  })

  it('names every problem with its place, in the order of the text', async () => {
    const path = file('wrong.yaml', WRONG)
    const { code, out } = await svc('validate', path)
    expect(code).toBe(1)
    expect(out.split('\n')).toEqual([
      `${path}:8:16: domain.resources.Post.object.title.type: there is no field type 'strin' (Did you mean 'string'?)`,
      `${path}:10:17: domain.resources.Post.permissions.update: there is no function 'hasRol' (character 1) (did you mean 'hasRole'?)`,
      `${path}:6:7: domain.resources.Post.colour: warning: is not known here and has no effect`,
      `${path} is not valid: 2 problems, 1 warning`,
      '',
    ])
  })

  it('tells the same in JSON', async () => {
    const path = file('wrong.yaml', WRONG)
    const { code, out } = await svc('validate', path, '--json')
    expect(code).toBe(1)
    const told = JSON.parse(out)
    expect(told.valid).toBe(false)
    expect(told.problems[0]).toEqual({
      path: 'domain.resources.Post.object.title.type',
      file: path,
      line: 8,
      column: 16,
      message: "there is no field type 'strin'",
      hint: "Did you mean 'string'?",
    })
    expect(told.problems).toHaveLength(2)
    expect(told.warnings).toHaveLength(1)
    const right = await svc('validate', file('blog.yaml', BLOG), '--json')
    expect(JSON.parse(right.out)).toEqual({ valid: true, problems: [], warnings: [] })
  })

  it('names the file that a problem stands in', async () => {
    file('part.yaml', 'resources:\n  Tag:\n    object:\n      name: txt\n')
    const { out } = await svc('validate', file('root.yaml', `${BLOG}  $include: [part.yaml]\n`))
    expect(out).toContain(`${join(folder, 'part.yaml')}:4:13: domain.resources.Tag.object.name.type: `)
  })

  it('fails for a file that is not there, and for wrong usage', async () => {
    expect((await svc('validate', join(folder, 'none.yaml'))).code).toBe(1)
    for (const args of [[], ['a.yaml', 'b.yaml'], ['a.yaml', '--jsn']])
      expect((await svc('validate', ...args)).code).toBe(2)
  })

  it('knows what the plugins of a configuration add, as the other commands do', async () => {
    const isbn = fileURLToPath(
      new URL('../../../../test/fixtures/third-party-plugin/isbn.js', import.meta.url),
    )
    const config = file('plugins.json', {
      plugins: ['rest', 'sqlite', 'auth', 'domain', 'system', isbn],
      auth: { jwt: { secret: 'a secret of tests that is long enough' } },
      sqlite: { path: 'never-made.db' },
      domain: { domain_file: 'never-read.yaml' },
    })
    const path = file('books.yaml', BLOG.replace('size: integer', 'number: isbn'))
    expect((await svc('validate', path)).out).toContain("there is no field type 'isbn'")
    expect(await svc('validate', path, '--config', config)).toMatchObject({ code: 0, err: '' })
    expect((await svc('types', path, '--config', config)).out).toContain('number')
    expect((await svc('schema', '--config', config)).out).toContain('"isbn"')
    const compared = await svc('diff', path, '--config', config)
    expect(compared).toMatchObject({ code: 0, err: expect.stringContaining("no database 'never-made.db'") })
    expect(compared.out).toMatch(/^blog: new to 1\.0/)
    expect(existsSync(join(folder, 'never-made.db'))).toBe(false)
    const { code, err } = await svc('validate', path, '--config', join(folder, 'nowhere.json'))
    expect([code, err]).toEqual([1, expect.stringContaining('there is no such file')])
  })

  it('fills variables from the file beside the configuration, as the server does', async () => {
    const config = file('plugins.json', { plugins: ['rest', 'sqlite', 'auth', 'domain', 'system'] })
    const path = file('labelled.yaml', `${BLOG}        tone: { type: string, default: '\${BLOG_TONE}' }\n`)
    file('.env', 'BLOG_TONE=calm\n')
    expect((await svc('validate', path)).out).toContain('The variable BLOG_TONE is not set')
    expect(await svc('validate', path, '--config', config)).toMatchObject({ code: 0, err: '' })
    expect((await svc('diff', path, '--config', config)).err).not.toContain('BLOG_TONE')
    rmSync(join(folder, '.env'))
  })

  it('takes the usual configuration where it is in this folder, as the other commands do', async () => {
    const beside = mkdtempSync(join(folder, 'usual-'))
    const path = file('labelled.yaml', `${BLOG}        tone: { type: string, default: '\${BLOG_TONE}' }\n`)
    writeFileSync(join(beside, 'svc.json'), JSON.stringify({ plugins: ['rest', 'sqlite', 'auth', 'domain'] }))
    writeFileSync(join(beside, '.env'), 'BLOG_TONE=calm\n')
    process.chdir(beside)
    try {
      expect(await svc('validate', path)).toMatchObject({ code: 0, err: '' })
      expect(await svc('types', path)).toMatchObject({ code: 0, err: '' })
      writeFileSync(join(beside, 'svc.json'), '{')
      expect((await svc('validate', path)).err).toContain('not valid JSON')
    } finally {
      process.chdir(here)
    }
  })

  it('finds the example valid', async () => {
    const { code, out } = await svc('validate', WORKSHOP, '--json')
    expect([code, JSON.parse(out).problems]).toEqual([0, []])
  })
})

describe('schema', () => {
  it('prints a JSON Schema, or writes it to a file', async () => {
    const { code, out } = await svc('schema')
    expect(code).toBe(0)
    expect(JSON.parse(out).$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    const path = join(folder, 'schema.json')
    expect(await svc('schema', '--out', path)).toEqual({ code: 0, out: '', err: '' })
    expect(readFileSync(path, 'utf8')).toBe(out)
  })

  it('fails where the file cannot be written', async () => {
    const { code, err } = await svc('schema', '--out', join(folder, 'none', 'schema.json'))
    expect(code).toBe(1)
    expect(err).toContain('cannot be written')
  })
})

describe('types', () => {
  const shop = {
    domain: {
      name: 'shop',
      version: '1 */ export const x = 1',
      enums: { Kind: { values: ['a"b', 'c'] }, Order: { values: ['x'] } },
      resources: {
        Order: {
          description: 'An order */',
          object: {
            number: 'autoincrement',
            kind: { type: 'string', enum: 'Kind', required: true },
            size: { type: 'string', enum: ['s', 'm'], default: 's' },
            status: { type: 'string' },
            secret: 'password',
            cost: 'money',
            internal: { type: 'string', hidden: true },
            code: { type: 'string', immutable: true },
            tags: { type: 'array', items: 'string' },
            address: {
              type: 'component',
              fields: { street: { type: 'string', required: true }, no: 'integer' },
            },
            meta: 'json',
            createdAt: 'datetime',
          },
          computed: { twice: { type: 'money', expression: 'cost * 2' } },
          relationships: {
            buyer: { type: 'belongsTo', target: 'User', required: true },
            lines: { type: 'hasMany', target: 'class', foreignKey: 'orderId' },
          },
          stateMachine: { field: 'status', initial: 'new', states: { new: {} } },
          permissions: { fields: { cost: { read: ['admin'], mask: true }, code: { read: ['admin'] } } },
        },
        class: { object: { a: 'integer' }, relationships: { order: { type: 'belongsTo', target: 'Order' } } },
      },
    },
  }

  /** What the compiler has to say about a program of these files. */
  function compile(...files: readonly string[]): string {
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2023']
    try {
      execFileSync(TSC, ['--ignoreConfig', ...options, '--module', 'nodenext', '--types', '', ...files], {
        cwd: folder,
        encoding: 'utf8',
      })
      return ''
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
  }

  it('compile, and say what a client may send and will get', async () => {
    const out = join(folder, 'shop.ts')
    expect(await svc('types', file('shop.json', shop), '--out', out)).toEqual({ code: 0, out: '', err: '' })
    file(
      'uses.ts',
      `import type { Kind, Order, OrderCreate, OrderUpdate, Order_, class_ } from './shop.ts'
const kind: Kind = 'a"b'
const create: OrderCreate = { kind, buyerId: 'u1', secret: 'x', tags: ['a'], address: { street: 's', no: null } }
const update: OrderUpdate = { cost: 3, meta: [1, { a: null }], size: 'm' }
const masked: Order['cost'] = '***'
const hidden: Order['code'] | undefined = undefined
const buyer: string | undefined = ({} as Order).buyer?.username
const lines: readonly class_[] | undefined = ({} as Order).lines
const other: Order_ = 'x'
// @ts-expect-error a required field is missing
const less: OrderCreate = { buyerId: 'u1' }
// @ts-expect-error the state of a new record is not chosen
const state: OrderCreate = { kind, buyerId: 'u1', status: 'new' }
// @ts-expect-error it never changes
const code: OrderUpdate = { code: 'x' }
// @ts-expect-error it is worked out
const twice: OrderUpdate = { twice: 4 }
// @ts-expect-error it is never shown
type Secret = Order['secret']
// @ts-expect-error it is hidden
type Internal = Order['internal']
// @ts-expect-error it is no value of the enumeration
const wrong: Kind = 'b'
export { create, update, masked, hidden, buyer, lines, other, less, state, code, twice, wrong }
export type { Secret, Internal }
`,
    )
    expect(compile('uses.ts', '--allowImportingTsExtensions')).toBe('')
  })

  it('A11: say what the endpoints of rules, workflows, schedules and notifications take and answer', async () => {
    const { domain } = shop
    const notification = { channels: ['log'], template: { body: 'late' } }
    const automated = {
      domain: {
        ...domain,
        version: '1',
        rules: {
          r: { trigger: { resource: 'Order', on: 'create' }, condition: 'true', action: 'log', message: 'm' },
        },
        workflows: { w: { steps: { a: { action: 'noop' } } } },
        schedules: { s: { recurrence: 'every day', action: 'notify', notification } },
      },
    }
    const out = join(folder, 'automated.ts')
    expect(await svc('types', file('automated.json', automated), '--out', out)).toMatchObject({ code: 0 })
    file(
      'endpoints.ts',
      `import type { List, Notification, NotificationsResendInput, RulesLogAnswer, RulesLogInput, SchedulesRunInput,
  SchedulesFiringsAnswer, WorkflowInstance, WorkflowsCancelInput, WorkflowsInstancesAnswer, WorkflowsInstancesInput,
  WorkflowsRetryAnswer, WorkflowsStartAnswer, WorkflowsStartInput } from './automated.ts'
const start: WorkflowsStartInput = { name: 'w', recordId: 7, input: { any: ['json'] } }
const started = {} as WorkflowsStartAnswer
const whole: WorkflowInstance = started
const status: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'timed_out' = started.status
const code: string | undefined = started.steps[0]?.error?.code
const finished: string | null = started.finishedAt
const cancel: WorkflowsCancelInput = { id: 'x', reason: null }
const asked: WorkflowsInstancesInput = { workflow: 'w', status: 'failed', limit: 5 }
const listed: readonly { readonly waitingFor: readonly { readonly step: string }[] }[] = ({} as WorkflowsInstancesAnswer).items
const again: WorkflowsRetryAnswer = whole
const log: RulesLogInput = { severity: 'error' }
const outcome: 'rejected' | 'warned' | 'logged' | 'undecided' | undefined = ({} as RulesLogAnswer).items[0]?.outcome
const run: SchedulesRunInput = { name: 's', dryRun: true }
const firings: List<{ readonly status: string }> = {} as SchedulesFiringsAnswer
const resend: NotificationsResendInput = { id: 'n' }
const sent: Notification['attempts'] = 1
// @ts-expect-error a list shows no steps
const steps = ({} as WorkflowsInstancesAnswer).items[0]!.steps
// @ts-expect-error it is no status
const wrong: WorkflowsInstancesInput = { status: 'done' }
// @ts-expect-error it names no instance
const nobody: WorkflowsCancelInput = {}
export { start, whole, status, code, finished, cancel, asked, listed, again, log, outcome, run, firings, resend, sent }
export { steps, wrong, nobody }
`,
    )
    expect(compile('endpoints.ts', '--allowImportingTsExtensions')).toBe('')
  })

  it('compile for the example', async () => {
    await svc('types', WORKSHOP, '--out', join(folder, 'workshop.ts'))
    expect(compile('workshop.ts')).toBe('')
    expect(readFileSync(join(folder, 'workshop.ts'), 'utf8')).toContain(
      'export interface RepairOrderCreate {',
    )
  })

  it('are not made of a definition that is wrong', async () => {
    const { code, out, err } = await svc('types', file('wrong.yaml', WRONG))
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain("there is no field type 'strin'")
  })
})

for (const store of STORES) {
  describe(`diff on ${store.name}`, () => {
    it('tells what would change, and changes nothing', async () => {
      const database = await store.open()
      const config = file('config.json', { ...database.config(), logging: { level: 'error' } })
      const blog = file('blog.yaml', BLOG)
      try {
        const { code, out } = await svc('diff', blog, '--config', config)
        expect(code).toBe(0)
        expect(out).toMatch(/^blog: new to 1\.0, \d+ steps?\n/)
        expect(out.toLowerCase()).toContain('create table "blog_post"')
        expect(await svc('diff', blog, '--config', config, '--exit-code')).toMatchObject({ code: 1, out })
      } finally {
        await database.drop()
      }
    })

    it('compares with what is stored', async () => {
      const database = await store.open()
      const config = file('config.json', { ...database.config(), logging: { level: 'error' } })
      try {
        const kernel = createKernel({ config: database.config(), plugins: [store.plugin, domain] })
        await kernel.start()
        await kernel.callAs(SYSTEM)('svc.domain.submit', { content: BLOG })
        await kernel.stop()
        const next = BLOG.replace("'1.0'", "'2.0'")
        const same = await svc('diff', file('same.yaml', next), '--config', config)
        expect(same).toMatchObject({ code: 0, out: 'blog: from 1.0 to 2.0, no changes\n' })
        expect((await svc('diff', join(folder, 'same.yaml'), '--config', config, '--exit-code')).code).toBe(0)
        const less = await svc(
          'diff',
          file('less.yaml', next.replace('        size: integer\n', '')),
          '--config',
          config,
        )
        expect(less.out).toMatch(/^blog: from 1\.0 to 2\.0, 1 step\n! /)
        expect(less.out).toContain('This would lose data:')
        const key = next.replace('object:', 'object:\n        id: { type: string, primaryKey: true }')
        const refused = await svc('diff', file('key.yaml', key), '--config', config)
        expect([refused.code, refused.out]).toEqual([1, ''])
        expect(refused.err).toContain('key.yaml:')
      } finally {
        await database.drop()
      }
    })

    it('needs a definition and a configuration', async () => {
      expect((await svc('diff', 'blog.yaml')).code).toBe(2)
      expect((await svc('diff', '--config', 'config.json')).code).toBe(2)
    })
  })
}
