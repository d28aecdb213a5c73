import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKernel, type ProbeResult, StartupError } from '@svc/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreCapability } from '../contract.ts'
import { sqlite } from '../index.ts'
import { sqliteConfig } from './config.ts'

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

/** The rights on a file, as `ls` would have them in octal digits. */
const rights = (...path: string[]) => (statSync(join(folder, ...path)).mode & 0o777).toString(8)

test('files and folders that are made are for their owner alone', async () => {
  const kernel = createKernel({
    config: { sqlite: { path: join(folder, 'own', 'a.db') } },
    plugins: [sqlite],
  })
  await kernel.start()
  const store = kernel.get(StoreCapability)
  const id = { name: 'id', kind: 'text', nullable: false } as const
  const table = { name: 'things', columns: [id], primaryKey: [id], indexes: [], foreignKeys: [] }
  for (const one of [store, store.journal]) await one.ensure([table])
  const files = ['a.db', 'a.db-wal', 'a.db-shm', 'a.journal.db', 'a.journal.db-wal', 'a.journal.db-shm']
  expect(files.map((file) => rights('own', file))).toEqual(files.map(() => '600'))
  expect(rights('own')).toBe('700')
  await kernel.stop()
})

test('a file that strangers could read is closed to them, and left to its group', async () => {
  const path = join(folder, 'old.db')
  await start({ path })
  chmodSync(path, 0o664)
  await start({ path })
  expect(rights('old.db')).toBe('660')
})

test('a file that is no database ends the start with what to do', async () => {
  const path = join(folder, 'text.db')
  writeFileSync(path, 'x'.repeat(5000))
  await expect(start({ path })).rejects.toThrow(/text\.db' is no SQLite database\. Point 'sqlite\.path'/)
})

test('a path that cannot be opened ends the start with what to do', async () => {
  const path = join(folder, 'folder.db')
  mkdirSync(path)
  await expect(start({ path })).rejects.toThrow(/folder\.db' is a folder\. Let 'sqlite\.path' name a file/)
  await expect(start({ path })).rejects.toBeInstanceOf(StartupError)
  writeFileSync(join(folder, 'file'), '')
  await expect(start({ path: join(folder, 'file', 'a.db') })).rejects.toThrow(
    /file' is no folder, so that 'a\.db' cannot be made in it/,
  )
})

test('a database in memory is refused', async () => {
  await expect(start({ path: ':memory:' })).rejects.toThrow('must be a file')
})

test('unknown keys are refused', async () => {
  await expect(start({ path: 'a.db', pool: 1 })).rejects.toThrow('pool')
})

test('the path is data.db unless said, in the folder of the process (ruling 1.2)', () => {
  expect(sqliteConfig.parse({}).path).toBe('data.db')
})
