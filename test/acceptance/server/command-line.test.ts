import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, runProgram, type TestFolder, testConfig } from '../../kit/server-process.ts'

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
