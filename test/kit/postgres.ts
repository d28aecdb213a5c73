import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { type ClusterOptions, startCluster } from './cluster.ts'
import { scratchFolder } from './memory.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The maintenance database of a PostgreSQL server for tests; undefined where there is none. */
    postgresUrl: string | undefined
    /** What the names of databases begin with that this test run makes others of. */
    postgresTemplates: string
  }
}

/** Nothing of it needs to last, and tests of both stores at once open many small pools. */
export const TEST_CLUSTER: ClusterOptions = {
  settings: ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=200'],
  within: scratchFolder,
}

/** A server that was named goes on after the test run. */
async function withdraw(maintenance: string, templates: string): Promise<void> {
  const client = new Client(maintenance)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    'select datname as name from pg_database where starts_with(datname, $1)',
    [templates],
  )
  for (const { name } of rows) await client.query(`drop database ${name} with (force)`)
  await client.end()
}

/** Gives every test a PostgreSQL server: a named one, else one made of the binaries that can be found. */
export default async function provideServer(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  const templates = `svc_filled_${randomBytes(6).toString('hex')}_`
  project.provide('postgresTemplates', templates)
  const named = process.env['TEST_PG_URL']
  if (named !== undefined) {
    project.provide('postgresUrl', named)
    return () => withdraw(named, templates)
  }
  const cluster = await startCluster(TEST_CLUSTER)
  project.provide('postgresUrl', cluster?.url)
  if (cluster !== undefined) return cluster.stop
  process.stderr.write(
    '\n*** No PostgreSQL was found: NO TEST RUNS ON THE POSTGRES STORE. ' +
      'Set TEST_PG_URL, or install PostgreSQL. ***\n\n',
  )
  return undefined
}
