import { expect, it } from 'vitest'
import { byCommand, byFile, memoryOf } from './memory.ts'

it('C6.14: the memory of a process is told by the system, in more than one way', async () => {
  const held = process.memoryUsage.rss()
  expect(await memoryOf(process.pid)).toBeGreaterThan(held / 2)
  expect(await byCommand(process.pid)).toBeGreaterThan(held / 2 / 1024)
  if (process.platform === 'linux') expect(await byFile(process.pid)).toBeGreaterThan(held / 2 / 1024)
  expect(await memoryOf(2 ** 30)).toBe(0)
})
