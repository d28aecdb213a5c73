import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAdmin } from '../kit/first-admin.ts'
import { createRandom } from '../kit/random.ts'
import { createFolder, type ServerProcess, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'

const KILLS = size('FILES_KILLS', { smoke: 2, whole: 100 })
const SEED = size('FILES_SEED', { smoke: 1, whole: 1 })
/** Clients that upload, and now and then delete. */
const CLIENTS = 4
const MAX_BYTES = 3_000_000
/** So many uploads a server takes at most before it is killed, and so long it lives after the last of them. */
const LIFE = 8
const AFTERLIFE_MS = 100
const HOUR_MS = 3_600_000
/** Every restart is a whole start of the program. */
const PATIENCE_MS = 60_000 + KILLS * 15_000

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url')

for (const store of STORES)
  describe(`files on ${store.name}, on a server that is killed`, () => {
    it(
      '[C1.12] have no row whose bytes are missing or short, and no bytes without a row once they are swept',
      async () => {
        const random = createRandom(SEED)
        const folder = createFolder()
        const database = await store.open()
        const root = join(folder.path, 'files')
        const config = folder.write(testConfig({ ...database.config(), files: { root } }))
        const password = await makeAdmin(config)
        let server: ServerProcess | undefined
        onTestFinished(async () => {
          server?.kill('SIGKILL')
          await server?.exited
          await database.drop()
          folder.remove()
        })
        /** The hash of each file that was acknowledged, by its path; of those that may be deleted it is not told. */
        const kept = new Map<string, string>()
        let refused = 0

        for (let round = 0; round < KILLS; round += 1) {
          server = await startServer(config)
          const token = await signIn(server.request, password)
          const { url } = server
          let left = 1 + random.int(LIFE)
          let kill = (): void => undefined
          const isTime = new Promise<void>((resolve) => (kill = resolve))
          const headers = { authorization: `Bearer ${token}` }
          const client = async () => {
            for (;;) {
              const bytes = Buffer.alloc(1 + random.int(MAX_BYTES), String.fromCharCode(97 + random.int(26)))
              const form = new FormData()
              form.append('file', new Blob([bytes], { type: 'text/plain' }), 'a.txt')
              const response = await fetch(`${url}/api/v1/files/upload`, {
                method: 'POST',
                headers,
                body: form,
              })
              const { data } = (await response.json()) as { data: { path: string } }
              if (response.status !== 201) throw new Error(`an upload was answered with ${response.status}`)
              kept.set(data.path, hashOf(bytes))
              if (--left === 0) kill()
              if (random.int(3) > 0) continue
              // From here on nobody knows whether it is there.
              kept.delete(data.path)
              await fetch(`${url}${data.path}`, { method: 'DELETE', headers })
            }
          }
          const clients = Array.from({ length: CLIENTS }, () => client().catch(() => void (refused += 1)))
          await isTime
          await delay(random.int(AFTERLIFE_MS))
          server.kill('SIGKILL')
          await server.exited
          await Promise.all(clients)
        }
        expect(refused).toBe(KILLS * CLIENTS)
        expect(kept.size).toBeGreaterThan(0)

        for (const file of below(root))
          utimesSync(join(root, file), new Date(), new Date(Date.now() - HOUR_MS))
        server = await startServer(config)
        const { request } = server
        const isWhole = async (path: string, hash: string) => {
          const { status, headers } = await request('HEAD', path)
          return status === 200 && headers.get('etag') === `"${hash}"`
        }
        await expect
          .poll(
            async () => {
              const found = below(root)
              const right = await Promise.all(
                found.map((file) => isWhole(`/api/v1/files/${file}`, hashOf(readFileSync(join(root, file))))),
              )
              return found.filter((_, at) => !right[at])
            },
            { timeout: 20_000 },
          )
          .toEqual([])
        const there = new Set(below(root).map((file) => `/api/v1/files/${file}`))
        for (const [path, hash] of kept)
          expect([there.has(path), await isWhole(path, hash)]).toEqual([true, true])
      },
      PATIENCE_MS,
    )
  })

/** The names of all files of bytes below a folder. */
const below = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
