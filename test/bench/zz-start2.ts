import { mkdtempSync, rmSync } from 'node:fs'
import { Client } from 'pg'
import { createKernel } from '@svc/kernel'
import { standardPlugins } from '@svc/server'
import { PostgresStore } from '../../plugins/store/src/postgres/store.ts'
import { SqliteStore } from '../../plugins/store/src/sqlite/store.ts'
import { startCluster } from '../kit/cluster.ts'
import { scratchFolder } from '../kit/memory.ts'
let spent = 0,
  times = 0
for (const C of [PostgresStore, SqliteStore]) {
  const e = (C as any).prototype.ensure
  ;(C as any).prototype.ensure = async function (t: any) {
    const b = performance.now()
    try {
      return await e.call(this, t)
    } finally {
      spent += performance.now() - b
      times++
    }
  }
}
const cluster = (await startCluster({
  settings: ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=200'],
  within: scratchFolder,
}))!
const m = new Client(cluster.url)
await m.connect()
async function one(db: any) {
  const folder = mkdtempSync('/dev/shm/zz-')
  const sections = {
    ...db,
    files: { root: folder },
    rest: { port: 0 },
    auth: { jwt: { secret: 'a secret of tests that is long enough' } },
    rate_limit: { enabled: false },
  }
  const kernel = createKernel({
    config: sections,
    plugins: standardPlugins(sections),
    environment: 'production',
  })
  const b = performance.now()
  await kernel.start()
  const t = performance.now() - b
  await kernel.stop()
  rmSync(folder, { recursive: true, force: true })
  return t
}
for (const which of ['sqlite', 'postgres', 'sqlite', 'postgres']) {
  const folder = mkdtempSync('/dev/shm/zz-')
  await m.query('drop database if exists tt with (force)')
  await m.query('create database tt template template0')
  const url = new URL(cluster.url)
  url.pathname = '/tt'
  const db =
    which === 'sqlite' ? { sqlite: { path: `${folder}/t.db` } } : { postgres: { conninfo: url.href } }
  await one(db)
  spent = times = 0
  let t = 0
  const N = 20
  const c = process.cpuUsage()
  for (let i = 0; i < N; i++) t += await one(db)
  const d = process.cpuUsage(c)
  console.log(
    which,
    'start',
    (t / N).toFixed(1),
    'ensure',
    (spent / N).toFixed(1),
    'ms in',
    times / N,
    'cpu incl stop',
    ((d.user + d.system) / 1000 / N).toFixed(1),
  )
  rmSync(folder, { recursive: true, force: true })
}
await m.end()
await cluster.stop()
process.exit(0)
