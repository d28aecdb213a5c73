import { type Environment, type Logger, StartupError } from '@svc/kernel'
import { Client, type ClientBase, type ClientConfig } from 'pg'
import type { PostgresConfig } from './config.ts'
import { parseConninfo } from './conninfo.ts'
import { postgresDialect } from './dialect.ts'
import { codeOf } from './faults.ts'
import { readLowerCollation, readPostgisSchema, readTrigramSchema } from './introspect.ts'
import { Sessions } from './sessions.ts'
import { PostgresStore } from './store.ts'

/** Reaches the configured database. Throws a StartupError that says what to do and repeats no password. */
export async function openPostgres(
  config: PostgresConfig,
  { env, log }: { readonly env: Environment; readonly log: Logger },
): Promise<PostgresStore> {
  const { options, place } = read(config.conninfo)
  const sessions = new Sessions(options, config, log)
  try {
    const lowerCollation = await sessions.use(readLowerCollation, () => true)
    if (lowerCollation === 'default') log.warn({}, 'postgres.icu_missing')
    const trigramSchema = await sessions.use(findTrigrams, () => true)
    if (trigramSchema === undefined) log.warn({}, 'postgres.trigrams_missing')
    const postgisSchema = await sessions.use(readPostgisSchema, () => true)
    const dialect = postgresDialect({ lowerCollation, trigramSchema, postgisSchema })
    return new PostgresStore(config.name, sessions, dialect, env)
  } catch (error) {
    await sessions.close()
    throw unreachable(place, error)
  }
}

/** The schema of the extension that indexes search, made where that is allowed. */
async function findTrigrams(client: ClientBase): Promise<string | undefined> {
  const there = await readTrigramSchema(client)
  if (there !== undefined) return there
  // Refused without the right to it, and where another server is making it at this moment.
  await client.query('create extension if not exists pg_trgm').catch(() => undefined)
  return readTrigramSchema(client)
}

function read(conninfo: string): { readonly options: ClientConfig; readonly place: string } {
  try {
    const options = parseConninfo(conninfo)
    const { host, port, database } = new Client(options)
    return { options, place: `the database '${database ?? ''}' at ${host}:${port}` }
  } catch (error) {
    // The text of other errors may repeat the URI, and with it the password.
    const reason = error instanceof Error && !('input' in error) ? error.message : 'it is no valid URI'
    throw new StartupError(
      'postgres',
      `'postgres.conninfo' cannot be read: ${reason}`,
      "Write 'postgresql://user:password@host:5432/name' or 'host=… dbname=… user=… password=…'",
    )
  }
}

function unreachable(place: string, error: unknown): StartupError {
  const message =
    error instanceof Error && error.message !== '' ? error.message : (codeOf(error) ?? String(error))
  return new StartupError(
    'postgres',
    `${place} cannot be reached (${message})`,
    "Start PostgreSQL, create the database, or correct 'postgres.conninfo'",
    error,
  )
}
