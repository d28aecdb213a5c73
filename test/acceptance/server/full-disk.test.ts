import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const NOTES = '/api/v1/desk/notes'
const DESK = `
domain:
  name: desk
  version: '1'
  resources: { Note: { object: { text: string }, permissions: { list: ['*'], create: ['*'] } } }
`

const probe = new Database(':memory:')
const statements = Object.getPrototypeOf(probe.prepare('select 1')) as Database.Statement
probe.close()

/** From here on nothing of the process is written to a file any more, as if its disk were full; what it returns makes room. */
function fillDisk(code: string): () => void {
  const { run } = statements
  statements.run = function (this: Database.Statement, ...values) {
    if (/^(?:commit|pragma user_version = )/.test(this.source))
      throw new Database.SqliteError('database or disk is full', code)
    return run.apply(this, values)
  }
  const makeRoom = () => void (statements.run = run)
  onTestFinished(makeRoom)
  return makeRoom
}

describe('a full disk under SQLite', () => {
  const server = useTestKernel({ store: STORES[0]!, definition: DESK })
  const write = async () => (await server().request('POST', NOTES, { body: { text: 'x' } })).status
  const ready = async () => (await server().request('GET', '/health/ready')).status
  const told = (event: string) =>
    server().log.filter(
      ({ event: one, fields }) => one === event && !String(fields['path']).includes('journal'),
    )

  it.each(['SQLITE_FULL', 'SQLITE_IOERR_WRITE'])(
    '%s is told by /health/ready and once by the log, until there is room',
    async (code) => {
      expect([await ready(), await write()]).toEqual([200, 201])
      const before = told('sqlite.not_writable').length
      const makeRoom = fillDisk(code)
      expect([await write(), await write(), await ready(), await ready()]).toEqual([503, 503, 503, 503])
      expect(await server().request('GET', NOTES)).toMatchObject({ status: 200 })
      expect(told('sqlite.not_writable').slice(before)).toMatchObject([
        { level: 'error', fields: { reason: `${code}: database or disk is full` } },
      ])
      makeRoom()
      expect(await ready()).toBe(200)
      expect(told('sqlite.writable_again')).toHaveLength(before + 1)
      expect(await write()).toBe(201)
    },
  )

  it('is over with the next write that succeeds', async () => {
    const makeRoom = fillDisk('SQLITE_FULL')
    const before = told('sqlite.writable_again').length
    expect(await write()).toBe(503)
    makeRoom()
    expect(await write()).toBe(201)
    expect(told('sqlite.writable_again')).toHaveLength(before + 1)
    expect(await ready()).toBe(200)
  })
})
