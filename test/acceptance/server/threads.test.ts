import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'

const WORKER = new URL('../../../apps/server/dist/sqlite-worker.js', import.meta.url)

it('the program brings the thread that reads for SQLite, which knows its functions', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-thread-'))
  const path = join(folder, 'test.db')
  new Database(path).close()
  const worker = new Worker(WORKER, { workerData: { path, readonly: true, synchronous: 'full' } })
  onTestFinished(async () => {
    await worker.terminate()
    rmSync(folder, { recursive: true, force: true })
  })
  const ask = async (sql: string): Promise<unknown> => {
    worker.postMessage({ sql, values: [] })
    return (await once(worker, 'message'))[0]
  }
  const sum = `select svc_sum(value) as sum, svc_average(value) as average from json_each('[0.1, 0.2, null]')`
  expect(await ask(sum)).toEqual({
    rows: [{ sum: 0.3, average: 0.15 }],
    length: 16,
    isLast: true,
    took: expect.any(Number),
  })
  expect(await ask('select 1 from nowhere')).toEqual({
    failure: { message: 'no such table: nowhere', code: 'SQLITE_ERROR' },
  })
})
