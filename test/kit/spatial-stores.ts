import { postgres, sqlite } from '@svc/store'
import { type SpatialServer, startSpatialServer } from './postgis.ts'
import { command, openPostgres, openSqlite, type StoreUnderTest, type TestDatabase } from './stores.ts'

/** A store that works with geometries, with what the server is told for that. */
export interface SpatialStore extends StoreUnderTest {
  readonly config: { readonly geo: { readonly embedded: boolean } }
}

/** The stores on which geometries are filtered: `for (const store of SPATIAL_STORES) describe(store.name, …)`. */
export const SPATIAL_STORES: readonly SpatialStore[] = [
  { name: 'sqlite', plugin: sqlite, open: openSqlite, config: { geo: { embedded: true } } },
  ...(process.env['TEST_WITHOUT_POSTGIS'] === '1'
    ? []
    : [
        {
          name: 'postgres' as const,
          plugin: postgres,
          open: openSpatial,
          config: { geo: { embedded: false } },
        },
      ]),
]

/** A database with the extension, which the others are made of. */
const TEMPLATE = 'svc_spatial'

let server: Promise<SpatialServer> | undefined
let databases = 0

/** A new database with PostGIS. The server begins with the first one and ends with the last. */
async function openSpatial(): Promise<TestDatabase> {
  databases += 1
  server ??= prepared()
  const { url } = await server
  const database = await openPostgres(url, TEMPLATE)
  return {
    ...database,
    async drop() {
      await database.drop()
      databases -= 1
      if (databases > 0) return
      const ending = server
      server = undefined
      await (await ending)?.stop()
    },
  }
}

async function prepared(): Promise<SpatialServer> {
  const started = await startSpatialServer()
  const named = new URL(started.url)
  named.pathname = `/${TEMPLATE}`
  // A server that was named may have it from a run before.
  await command(started.url, `create database ${TEMPLATE} template template0`).catch(() => undefined)
  await command(named.href, 'create extension if not exists postgis')
  return started
}
