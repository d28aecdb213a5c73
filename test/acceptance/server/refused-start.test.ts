import { existsSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, runProgram, type TestFolder, testConfig } from '../../kit/server-process.ts'
import { STORES, type TestDatabase } from '../../kit/stores.ts'

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../plugins/rest/src/fixtures/${name}`, import.meta.url))
const CERTIFICATE = { cert_file: fixture('localhost.cert.pem'), key_file: fixture('localhost.key.pem') }

for (const store of STORES) {
  describe(`[1.5] a start on ${store.name} that cannot listen`, () => {
    let folder: TestFolder
    let database: TestDatabase
    let taken: Server
    let port: number

    beforeAll(async () => {
      folder = createFolder()
      database = await store.open()
      taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      port = (taken.address() as AddressInfo).port
    })
    afterAll(async () => {
      taken.close()
      await database.drop()
      folder.remove()
    })

    it.each([
      ['at a port that is taken', () => ({ port }), "set 'rest.port' to a free port"],
      [
        'at a redirect port that is taken',
        () => ({ port: 0, tls: { ...CERTIFICATE, redirect_http: true, redirect_http_port: port } }),
        "set 'rest.tls.redirect_http_port' to a free port",
      ],
      [
        'with a certificate that is missing',
        () => ({ port: 0, tls: { ...CERTIFICATE, cert_file: '/no/such/file' } }),
        "'rest.tls.cert_file'",
      ],
      [
        "with a key that is another's",
        () => ({ port: 0, tls: { ...CERTIFICATE, key_file: fixture('other.key.pem') } }),
        'cannot be used together',
      ],
    ])('%s says what to do, and has changed nothing', async (_, rest, advice) => {
      const config = folder.write(testConfig({ ...database.config(), rest: rest() }))
      const { code, stderr } = await runProgram(['--config', config])
      expect([code, stderr]).toEqual([1, expect.stringContaining(advice)])
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
      expect(await isUntouched(database)).toBe(true)
    })
  })
}

/** Whether nobody has made anything in a database. */
async function isUntouched(database: TestDatabase): Promise<boolean> {
  const { sqlite, postgres } = database.config() as Record<
    string,
    { path?: string; conninfo?: string } | undefined
  >
  if (sqlite?.path !== undefined) return !existsSync(sqlite.path)
  const client = new Client(postgres?.conninfo)
  await client.connect()
  const { rowCount } = await client.query("select 1 from pg_tables where schemaname = 'public'")
  await client.end()
  return rowCount === 0
}
