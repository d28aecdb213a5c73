import { expect, it } from 'vitest'
import { createGate } from './gate.ts'
import { createSecrets } from './secrets.ts'

const never = new AbortController().signal
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Hashing of which one turn of the event loop makes one step, and what it was asked for, in order. */
function start(cost = { usual: 20, least: 20 }) {
  const asked: string[] = []
  const hash = async (secret: string) => {
    asked.push(secret)
    await turn()
    if (secret === 'broken') throw new Error('broken')
    return `#${secret}`
  }
  return { asked, hashAll: createSecrets({ gate: createGate(2, 10), cost, hash }) }
}

it('hashes all secrets, each in its place', async () => {
  const { hashAll } = start()
  expect(await hashAll(['a', 'b', 'c'], never)).toEqual(['#a', '#b', '#c'])
})

it('lets requests take turns', async () => {
  const { asked, hashAll } = start()
  await Promise.all([hashAll(['a1', 'a2', 'a3'], never), hashAll(['b1'], never)])
  expect(asked).toEqual(['a1', 'b1', 'a2', 'a3'])
})

it('refuses at once what would take longer than a request may, and says how many fit', async () => {
  const { asked, hashAll } = start()
  const many = (count: number) => Array.from({ length: count }, String)
  await expect(hashAll(many(751), never)).rejects.toMatchObject({
    code: 'BULK_LIMIT_EXCEEDED',
    status: 422,
    message: expect.stringContaining('at most 750'),
  })
  const first = hashAll(many(700), never)
  await expect(hashAll(many(60), never)).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 })
  const second = hashAll(['in between'], never)
  await turn()
  expect(asked.length).toBeLessThan(700)
  await Promise.all([first, second])
})

it('tells a busy server from a request that is too large', async () => {
  const { hashAll } = start({ usual: 200, least: 20 })
  const refused = hashAll(Array.from({ length: 100 }, String), never)
  await expect(refused).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    detail: { headers: { 'Retry-After': '5' } },
  })
})

it('stops where nobody waits any more, or one fails, and leaves the lane to others', async () => {
  const { asked, hashAll } = start()
  const gone = new AbortController()
  const ended = Promise.allSettled([
    hashAll(['a', 'b', 'c', 'd'], gone.signal),
    hashAll(['broken', 'e', 'f'], never),
  ])
  await expect.poll(() => asked.length).toBeGreaterThan(0)
  gone.abort()
  expect(await ended).toMatchObject([
    { status: 'rejected', reason: { code: 'UNAVAILABLE' } },
    { status: 'rejected', reason: { message: 'broken' } },
  ])
  expect(await hashAll(['g'], never)).toEqual(['#g'])
  expect(asked).toEqual(['a', 'broken', 'g'])
})
