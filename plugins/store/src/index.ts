import { definePlugin } from '@svc/kernel'
import { StoreCapability } from './contract.ts'
import { observed } from './observed.ts'
import { postgresConfig } from './postgres/config.ts'
import { sqliteConfig } from './sqlite/config.ts'

/** Keeps everything in one SQLite file. A driver is loaded where its store is opened. */
export const sqlite = definePlugin({
  name: 'sqlite',
  phase: 'store',
  config: sqliteConfig,
  provides: StoreCapability,
  async check({ config }) {
    const { checkSqlite } = await import('./sqlite/check.ts')
    checkSqlite(config)
  },
  async setup({ config, probe, onStop, log, spans }) {
    const { openSqlite } = await import('./sqlite/open.ts')
    const store = await openSqlite(config, log)
    onStop(() => store.close())
    probe('sqlite', () => store.check())
    log.info({ path: config.path, synchronous: config.synchronous }, 'sqlite.opened')
    return observed(store, spans)
  },
})

/** Keeps everything in one database of a PostgreSQL server. */
export const postgres = definePlugin({
  name: 'postgres',
  phase: 'store',
  config: postgresConfig,
  provides: StoreCapability,
  async setup({ config, env, probe, onStop, log, spans }) {
    const { openPostgres } = await import('./postgres/open.ts')
    const store = await openPostgres(config, { env, log })
    onStop(() => store.close())
    probe('postgres', () => store.check())
    log.info({ pool_size: config.pool_size }, 'postgres.opened')
    return observed(store, spans)
  },
})
