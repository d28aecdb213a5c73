import { expect, it } from 'vitest'
import { createGate } from './gate.ts'

it('runs a few works at once, lets a few wait, and refuses the rest', async () => {
  const gate = createGate(2, 3)
  const ends: (() => void)[] = []
  let running = 0
  const work = async () => {
    running++
    await new Promise<void>((resolve) => ends.push(resolve))
    running--
  }
  const admitted = Array.from({ length: 5 }, () => gate.run(work))
  await expect(gate.run(work)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(running).toBe(2)
  for (let i = 0; i < 5; i++) {
    await expect.poll(() => ends.length).toBeGreaterThan(0)
    ends.shift()?.()
  }
  await Promise.all(admitted)
  expect(running).toBe(0)
})

it('gives the slot of a failed work to the next', async () => {
  const gate = createGate(1, 1)
  const failing = gate.run(() => Promise.reject(new Error('no')))
  const next = gate.run(async () => 'done')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('done')
})
