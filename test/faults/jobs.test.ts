import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandom } from '../kit/random.ts'
import { createFolder, type ServerProcess, startServer, testConfig } from '../kit/server-process.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'

const WORKING = fileURLToPath(new URL('../fixtures/working-plugin.js', import.meta.url))
const PIECES = size('JOBS_PIECES', { smoke: 300, whole: 10_000 })
const KILLS = size('JOBS_KILLS', { smoke: 1, whole: 60 })
const SEED = size('JOBS_SEED', { smoke: 1, whole: 1 })
/** Those that share a database. */
const SERVERS = size('JOBS_SERVERS', { smoke: 2, whole: 3 })
/** Pieces of one transaction. */
const BATCH = 5
const LANES = 12
const LEASE_S = 1
/** Every restart is a whole start of the program. */
const PATIENCE_MS = 120_000 + KILLS * 20_000

for (const store of STORES) {
  // One process works on a file of SQLite; several share a database of PostgreSQL.
  const servers = store.name === 'sqlite' ? 1 : SERVERS

  describe(`work on ${store.name}, on ${servers} server(s) that are killed`, () => {
    it(
      '[J1, J2, J3] is done for every acknowledged put: inside once and in order, outside under one id',
      async () => {
        const random = createRandom(SEED)
        const folder = createFolder()
        const database = await store.open()
        const file = join(folder.path, 'outside.txt')
        const { auth: _, rate_limit: __, ...sections } = testConfig(database.config())
        const config = folder.write({
          ...sections,
          jobs: { poll_seconds: 0.2, lease_seconds: LEASE_S },
          plugins: ['rest', store.name, 'jobs', { use: WORKING, config: { file } }],
        })
        const running = await Promise.all(Array.from({ length: servers }, () => startServer(config)))
        onTestFinished(async () => {
          for (const server of running) server.kill('SIGKILL')
          await Promise.all(running.map(({ exited }) => exited))
          await database.drop()
          folder.remove()
        })

        const acknowledged: number[] = []
        let next = 0
        let isOver = false
        /** Puts pieces through any server, one batch after the other, until all are put. */
        const put = async (lanes: readonly string[]) => {
          while (!isOver && next < PIECES) {
            const pieces = Array.from({ length: BATCH }, () => (next += 1))
            const server: ServerProcess = running[random.int(running.length)]!
            const body = { lane: random.pick(lanes), pieces }
            const answer = await server.request('POST', '/pieces', { body }).catch(() => undefined)
            if (answer?.status === 200) acknowledged.push(...pieces)
            else await new Promise((resolve) => setTimeout(resolve, 50))
          }
        }
        const lanes = Array.from({ length: LANES }, (_, at) => `lane${at}`)
        const putting = [0, 1, 2].map((at) => put(lanes.filter((_, lane) => lane % 3 === at)))
        for (let kill = 0; kill < KILLS; kill += 1) {
          await new Promise((resolve) => setTimeout(resolve, 200 + random.int(1500)))
          const at = random.int(running.length)
          running[at]!.kill('SIGKILL')
          await running[at]!.exited
          running[at] = await startServer(config)
        }
        await Promise.all(putting)
        isOver = true

        const read = async () => (await running[0]!.request('GET', '/pieces')).body.data
        await expect.poll(async () => (await read()).left, { timeout: 60_000, interval: 500 }).toEqual([])
        const effects: readonly { readonly lane: string; readonly piece: number }[] = (await read()).effects
        const done = effects.map(({ piece }) => piece)
        expect(acknowledged.filter((piece) => !done.includes(piece))).toEqual([])
        expect(done.length).toBe(new Set(done).size)
        // One batch after the other was put into a lane, each by its own transaction.
        for (const lane of lanes) {
          const own = effects.filter((effect) => effect.lane === lane).map(({ piece }) => piece)
          expect(own).toEqual(own.toSorted((a, b) => a - b))
        }

        const outside = readFileSync(file, 'utf8').trimEnd().split('\n')
        const ids = new Map(outside.map((line) => [line.split(' ')[2], line.split(' ')[0]]))
        expect(done.filter((piece) => !ids.has(String(piece)))).toEqual([])
        expect(outside.filter((line) => ids.get(line.split(' ')[2]) !== line.split(' ')[0])).toEqual([])
      },
      PATIENCE_MS,
    )
  })
}
