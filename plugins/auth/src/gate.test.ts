import { expect, it } from 'vitest'
import { createGate } from './gate.ts'

/** Works that run until they are told to end, and who runs in which order. */
function works() {
  const order: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    order.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { order, work, end }
}

it('runs a few works at once, lets a few wait, and refuses the rest', async () => {
  const gate = createGate(2, 3)
  const { order, work, end } = works()
  const names = ['1', '2', '3', '4', '5']
  const admitted = names.map((name) => gate.front('c', work(name)))
  await expect(gate.front('c', work('6'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(order).toEqual(['1', '2'])
  for (const name of names) await end(name)
  expect(await Promise.all(admitted)).toEqual(names)
  expect(order).toEqual(names)
})

it('gives the slot of a failed work to the next', async () => {
  const gate = createGate(2, 1)
  const failing = ['1', '2'].map(() => gate.front('c', () => Promise.reject(new Error('no'))))
  const next = gate.front('c', async () => 'done')
  for (const one of failing) await expect(one).rejects.toThrow('no')
  expect(await next).toBe('done')
})

it('lets a client in whose places another one has taken', async () => {
  const gate = createGate(2, 3)
  const { order, work, end } = works()
  const flood = ['1', '2', '3', '4', '5'].map((name) => gate.front('flood', work(name)))
  const person = gate.front('person', work('p'))
  await expect(flood[4]).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  for (const name of ['1', '2', '3', 'p', '4']) await end(name)
  expect(await person).toBe('p')
  expect(order).toEqual(['1', '2', '3', 'p', '4'])
})

it('never fills all slots from the back, and lets the front go first', async () => {
  const gate = createGate(3, 3)
  const { order, work, end } = works()
  const mass = ['1', '2', '3', '4'].map((name) => gate.back(work(name)))
  await expect.poll(() => order).toEqual(['1', '2'])
  const people = ['p', 'q'].map((name) => gate.front('c', work(name)))
  await expect.poll(() => order).toEqual(['1', '2', 'p'])
  await end('1')
  expect(order).toEqual(['1', '2', 'p', 'q'])
  for (const name of ['2', 'p', 'q', '3', '4']) await end(name)
  expect(order).toEqual(['1', '2', 'p', 'q', '3', '4'])
  await Promise.all([...mass, ...people])
})
