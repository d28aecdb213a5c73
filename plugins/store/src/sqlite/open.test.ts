import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKernel, type ProbeResult, StartupError } from '@svc/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreCapability } from '../contract.ts'
import { sqlite } from '../index.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-open-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function start(section: unknown): Promise<readonly ProbeResult[]> {
  const kernel = createKernel({ config: { sqlite: section }, plugins: [sqlite] })
  await kernel.start()
  await kernel.get(StoreCapability).catalog()
  const probed = await kernel.host.probe()
  await kernel.stop()
  return probed
}

test('a missing folder is made', async () => {
  const probed = await start({ path: join(folder, 'new', 'deep', 'a.db') })
  expect(probed).toEqual([{ name: 'sqlite', ok: true }])
})

test('a file that is no database ends the start with what to do', async () => {
  const path = join(folder, 'text.db')
  writeFileSync(path, 'x'.repeat(5000))
  await expect(start({ path })).rejects.toThrow(/text\.db' is no SQLite database\. Point 'sqlite\.path'/)
})

test('a path that cannot be opened ends the start with what to do', async () => {
  const path = join(folder, 'folder.db')
  mkdirSync(path)
  await expect(start({ path })).rejects.toThrow(/cannot be opened\. Check/)
  await expect(start({ path })).rejects.toBeInstanceOf(StartupError)
  writeFileSync(join(folder, 'file'), '')
  await expect(start({ path: join(folder, 'file', 'a.db') })).rejects.toThrow(/cannot be opened \(E/)
})

test('a database in memory is refused', async () => {
  await expect(start({ path: ':memory:' })).rejects.toThrow('must be a file')
})

test('unknown and missing keys are refused', async () => {
  await expect(start({ path: 'a.db', pool: 1 })).rejects.toThrow('pool')
  await expect(start({})).rejects.toThrow('path')
})
