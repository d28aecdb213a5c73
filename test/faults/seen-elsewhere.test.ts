import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAdmin } from '../kit/first-admin.ts'
import { createFolder, type ServerProcess, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'

// Whoever was told by one server that something is written reads it on the other at once, however many ask that one for
// something at the same moment.

const ROUNDS = size('SEEN_ROUNDS', { smoke: 2, whole: 1_000 })
/** Clients that each change a note of their own on one server and read it on the other. */
const WRITERS = 12
/** Clients that do nothing but read, on each server. */
const READERS = 24

const DEFINITION = `
domain:
  name: pad
  version: '1.0.0'
  resources:
    Topic:
      object: { round: { type: integer, required: true } }
      permissions: { get: ['*'], list: ['*'], create: ['*'], update: ['*'] }
    Note:
      object: { round: { type: integer, required: true } }
      relationships: { topic: { type: belongsTo, target: Topic } }
      permissions: { get: ['*'], list: ['*'], create: ['*'], update: ['*'] }
`

for (const store of STORES) {
  describe(`what two servers over ${store.name} write`, () => {
    it(
      `is read on the other one at once, in ${ROUNDS} rounds of ${WRITERS} writers`,
      async () => {
        const folder = createFolder()
        const database = await store.open()
        const config = folder.write(testConfig({ ...database.config(), management: { socket: false } }))
        const password = await makeAdmin(config)
        const servers: ServerProcess[] = []
        onTestFinished(async () => {
          await Promise.all(servers.map((server) => server.stop()))
          await database.drop()
          folder.remove()
        })
        servers.push(await startServer(config))
        const token = await signIn(servers[0]!.request, password)
        const submitted = await servers[0]!.request('POST', '/api/v1/domains', {
          token,
          body: { content: DEFINITION },
        })
        expect(submitted.status, JSON.stringify(submitted.body)).toBe(201)
        servers.push(await startServer(config))

        const send = async (at: number, method: string, path: string, body?: object) => {
          const answer = await servers[at % 2]!.request(method, `/api/v1/pad/${path}`, body && { body })
          expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
          return answer.body.data
        }
        const made = await Promise.all(
          Array.from({ length: WRITERS }, async () => {
            const topic = await send(0, 'POST', 'topics', { round: 0 })
            const note = await send(0, 'POST', 'notes', { round: 0, topicId: topic.id })
            return { topic: topic.id as string, note: note.id as string }
          }),
        )

        let isOver = false
        const reading = Array.from({ length: 2 * READERS }, async (_, at) => {
          while (!isOver) await send(at, 'GET', `notes/${made[at % WRITERS]!.note}`)
        })
        const late: object[] = []
        const writing = made.map(async ({ topic, note }, at) => {
          for (let round = 1; round <= ROUNDS; round += 1) {
            const [here, there] = [at + round, at + round + 1]
            await send(here, 'PATCH', `notes/${note}`, { round })
            const read = await send(there, 'GET', `notes/${note}`)
            await send(here, 'PATCH', `topics/${topic}`, { round })
            const listed = await send(there, 'GET', `notes?filter[id]=${note}&include=topic`)
            const [item] = listed.items
            if (read.round !== round || item.round !== round || item.topic.round !== round)
              late.push({ round, read, item })
          }
        })
        try {
          await Promise.all(writing)
        } finally {
          isOver = true
          await Promise.all(reading)
        }
        expect(late).toEqual([])
      },
      60_000 + ROUNDS * 500,
    )
  })
}
