import { chmodSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createFolder,
  PROGRAM,
  runNode,
  runProgram,
  type TestFolder,
  testConfig,
} from '../../kit/server-process.ts'

describe('the program', () => {
  let folder: TestFolder
  beforeAll(() => void (folder = createFolder()))
  afterAll(() => folder.remove())

  it('says what it is', async () => {
    const help = await runProgram(['--help'])
    expect([help.code, help.stderr]).toEqual([0, ''])
    expect(help.stdout).toContain('svc --config <config.json>')
    const version = await runProgram(['--version'])
    expect(version).toMatchObject({ code: 0, stdout: '0.3.1\n' })
  })

  it.each([
    [[], 'a configuration file is needed'],
    [['--config'], 'needs a value'],
    [['--wrong'], "no option '--wrong'"],
    [['a.json', 'b.json'], 'one too many'],
    [['admin', 'remove'], "'admin' takes 'create'"],
    [['frobnicate'], "no command and no file 'frobnicate' (the commands are init, apply,"],
    [['aply', '--config', 'svc.json'], "did you mean 'apply'?"],
    [['--confg', 'svc.json'], "did you mean '--config'?"],
    [['validate', 'a.yaml', '--json=yes'], "'--json' takes no value"],
    [['--config', '--first-admin'], "'--config' needs a value"],
  ])('ends with 2 when it is called as %j', async (args, message) => {
    const { code, stderr, stdout } = await runProgram(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).toContain('svc --help')
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  describe('ends with 1 and one readable line', () => {
    const sqlite = { path: 'data.db' }
    const refused = async (content: unknown, env = {}) => {
      const { code, stderr } = await runProgram(['--config', folder.write(content)], { env })
      const line = stderr.trim()
      expect([code, line.split('\n').length, line.includes('    at ')]).toEqual([1, 1, false])
      return line
    }

    it('when there is no such file', async () => {
      const { code, stderr } = await runProgram(['--config', `${folder.path}/none.json`])
      expect(code).toBe(1)
      expect(stderr).toMatch(/^svc: configuration: .*none\.json: there is no such file\. .+\n$/)
    })

    it('when the file is a folder', async () => {
      expect((await runProgram(['--config', folder.path])).code).toBe(1)
    })

    it('when the file is no JSON, or no object', async () => {
      expect(await refused('{ "rest": ')).toContain('not valid JSON')
      expect(await refused('[]')).toContain('one JSON object')
    })

    it('when a section is unknown, naming the nearest', async () => {
      expect(await refused({ ...testConfig({ sqlite }), rset: {} })).toMatch(/'rset'.*'rest'/)
      expect(await refused({ ...testConfig({ sqlite }), loging: {} })).toMatch(/'loging'.*'logging'/)
    })

    it('when a section is of a plugin that is not loaded', async () => {
      const both = {
        ...testConfig({ sqlite }),
        postgres: { conninfo: 'postgresql://user:sesame@localhost/none' },
      }
      const line = await refused(both)
      expect(line).toMatch(/the section 'sqlite' is of the plugin 'sqlite', which is not loaded/)
      expect(line).not.toContain('sesame')
    })

    it('when a key is unknown, naming the nearest', async () => {
      expect(await refused(testConfig({ sqlite, rest: { prot: 8080 } }))).toMatch(/'rest\.prot'.*'port'/)
      expect(await refused({ ...testConfig({ sqlite }), logging: { levle: 'info' } })).toMatch(/levle.*level/)
    })

    it('when a value is of the wrong kind', async () => {
      expect(await refused(testConfig({ sqlite, rest: { port: 'high' } }))).toContain("'rest.port'")
    })

    it('when the secret is missing or short, without showing it', async () => {
      expect(await refused(testConfig({ sqlite, auth: {} }))).toContain("'auth.jwt")
      const line = await refused(testConfig({ sqlite, auth: { jwt: { secret: 'sesame' } } }))
      expect(line).toContain('32')
      expect(line).not.toContain('sesame')
    })

    it('when a section is missing, in plain words', async () => {
      expect(await refused({ sqlite })).toMatch(
        /^svc: auth: 'auth\.jwt\.secret' is missing \(The key that signs/,
      )
    })

    it('that tells every fault of the configuration, wherever it is found', async () => {
      const line = await refused({
        loging: {},
        logging: { level: 'loud' },
        environment: 'test',
        rest: { port: 'high' },
        metrics: { prt: 1 },
        auth: { jwt: { secret: '${SVC_TEST_SECRET}' } },
      })
      expect(line).toMatch(/^svc: configuration: 6 faults: /)
      for (const fault of [
        "'loging'",
        "'logging.level'",
        "'environment'",
        "'rest.port'",
        "'metrics.prt'",
        'SVC_TEST_SECRET',
      ])
        expect(line).toContain(fault)
      expect(line).not.toContain('32 characters')
    })

    it('when a plugin fails in several lines', async () => {
      const thrown = "throw new Error('first of all\\n  and then\\r\\n\\nat last')"
      const plugin = `export const plugin = { name: 'stumbling', phase: 'domain', setup() { ${thrown} } }`
      const file = folder.write(plugin, 'stumbling.mjs')
      const { auth: _auth, rate_limit: _limit, ...sections } = testConfig({ sqlite })
      const line = await refused({ ...sections, plugins: ['rest', 'sqlite', file] })
      expect(line).toBe(
        "svc: stumbling: first of all and then at last. Correct the plugin 'stumbling', or leave it out of 'plugins'",
      )
    })

    it('when the driver of SQLite was built for another Node', async () => {
      const hook = folder.write(OTHER_NODE, 'hook.mjs')
      const config = folder.write(testConfig({ sqlite }))
      const { code, stderr } = await runProgram(['--config', config], { node: ['--import', hook] })
      expect([code, stderr.trim().split('\n').length]).toEqual([1, 1])
      expect(stderr).toMatch(
        /^svc: sqlite: the SQLite driver was built for another version of Node .*127.*115.* Run 'npm rebuild/,
      )
      expect(stderr).not.toContain('sqlite.path')
    })

    it('when the folder of the database may not be written', async () => {
      const closed = folder.path + '/closed'
      mkdirSync(closed, { mode: 0o555 })
      chmodSync(folder.path, 0o755)
      const config = folder.write(testConfig({ sqlite: { path: 'closed/svc.db' } }))
      const { code, stderr } = await runUnprivileged(config)
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`the folder '${closed}' may not be written`),
      ])
      expect(stderr).not.toContain('out of reach')
    })

    it('when a variable is not set, naming it', async () => {
      const config = testConfig({ sqlite, auth: { jwt: { secret: '${SVC_TEST_SECRET}' } } })
      expect(await refused(config)).toContain('SVC_TEST_SECRET')
    })

    it('when a plugin is unknown, naming the nearest', async () => {
      expect(await refused({ ...testConfig({ sqlite }), plugins: ['rets'] })).toMatch(/'rets'.*'rest'/)
    })

    it('when a required service is missing', async () => {
      expect(await refused({ plugins: ['auth'], auth: { jwt: { secret: 's'.repeat(32) } } })).toContain(
        'store',
      )
    })

    it('when the database cannot be opened', async () => {
      folder.write('this is no database, whatever its name says'.repeat(100), 'text.db')
      expect(await refused(testConfig({ sqlite: { path: 'text.db' } }))).toContain('sqlite')
    })
  })
})

/** Has Node refuse the driver as it does where that was compiled for another version. */
const OTHER_NODE = `
const load = process.dlopen
process.dlopen = (module, file, ...more) => {
  if (!file.includes('better_sqlite3')) return load.call(process, module, file, ...more)
  const message = \`The module '\${file}'
was compiled against a different Node.js version using
NODE_MODULE_VERSION 127. This version of Node.js requires
NODE_MODULE_VERSION 115. Please try re-compiling or re-installing\`
  throw Object.assign(new Error(message), { code: 'ERR_DLOPEN_FAILED' })
}`

/**
 * Starts a server as a user without privileges. The superuser may write everywhere: so it first loads all that the
 * program needs, which that user may perhaps not read, and then gives its own rights up.
 */
function runUnprivileged(config: string) {
  const program = pathToFileURL(join(dirname(PROGRAM), 'run.js')).href
  const example = join(dirname(PROGRAM), '../examples/workshop/domain.yaml')
  const script = `
    const { run, TERMINAL } = await import(${JSON.stringify(program)})
    await run(['validate', ${JSON.stringify(example)}], { ...TERMINAL, out() {} })
    if (process.getuid() === 0) process.setuid(65534)
    process.exit(await run(['--config', ${JSON.stringify(config)}]))`
  return runNode(['--input-type=module', '--eval', script])
}
