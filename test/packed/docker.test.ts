import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder, startServer } from '../kit/server-process.ts'
import { STORES } from '../kit/stores.ts'

const FOLDER = fileURLToPath(new URL('../../apps/server/docker/', import.meta.url))
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')

describe('the compose file', () => {
  it('sets every variable that its configuration asks for', () => {
    const asked = [...read('config.json').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!)
    const set = [...read('compose.yaml').matchAll(/^ {6}(\w+):/gm)].map(([, name]) => name!)
    expect(asked).toEqual(['SVC_CONNINFO', 'SVC_JWT_SECRET'])
    expect(set).toEqual(expect.arrayContaining(asked))
  })

  for (const store of STORES.filter(({ name }) => name === 'postgres')) {
    it(`has a configuration that the server starts from, on ${store.name}`, async () => {
      const [database, folder] = [await store.open(), createFolder()]
      onTestFinished(() => (folder.remove(), database.drop()))
      const config = JSON.parse(read('config.json'))
      // Where containers have an address of their own, tests have a port.
      const rest = { host: '127.0.0.1', port: 0 }
      const logging = { level: 'info', format: 'json' }
      const { conninfo } = database.config()['postgres'] as { conninfo: string }
      const env = { SVC_CONNINFO: conninfo, SVC_JWT_SECRET: 'a secret of tests that is long enough' }
      const server = await startServer(folder.write({ ...config, rest, logging }), { env })
      expect((await server.request('GET', '/health/ready')).status).toBe(200)
      expect(await server.stop()).toBe(0)
    })
  }
})
