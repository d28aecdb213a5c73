import type { TestProject } from 'vitest/node'
import { type ClusterOptions, startCluster } from './cluster.ts'
import { scratchFolder } from './memory.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The maintenance database of a PostgreSQL server for tests; undefined where there is none. */
    postgresUrl: string | undefined
  }
}

/** Nothing of it needs to last, and tests of both stores at once open many small pools. */
export const TEST_CLUSTER: ClusterOptions = {
  settings: ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=200'],
  within: scratchFolder,
}

/** Gives every test a PostgreSQL server: a named one, else one made of the binaries that can be found. */
export default async function provideServer(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  const named = process.env['TEST_PG_URL']
  if (named !== undefined) return void project.provide('postgresUrl', named)
  const cluster = await startCluster(TEST_CLUSTER)
  project.provide('postgresUrl', cluster?.url)
  if (cluster !== undefined) return cluster.stop
  process.stderr.write(
    '\n*** No PostgreSQL was found: NO TEST RUNS ON THE POSTGRES STORE. ' +
      'Set TEST_PG_URL, or install PostgreSQL. ***\n\n',
  )
  return undefined
}
