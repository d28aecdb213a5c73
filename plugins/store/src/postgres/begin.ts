import type { PoolClient, QueryResult } from 'pg'
import type { Statement } from '../compile/compiler.ts'
import type { Row } from '../plan.ts'
import type { RawRows } from '../rows.ts'

/** On which connections which statements are prepared: planning one takes longer than running it. */
const prepared = new WeakMap<PoolClient, Set<string>>()

/**
 * Begins a transaction in one round trip: runs the statements of `prepare` in it, and then `last`, which binds no values;
 * answers the rows of that.
 */
export async function begin(
  client: PoolClient,
  prepare: readonly string[],
  last: Statement | undefined,
): Promise<readonly Row[]> {
  const statements = ['begin', ...prepare]
  if (last === undefined) {
    await client.query(statements.join('; '))
    return []
  }
  const name = `"opening_${last.name}"`
  const known = prepared.get(client) ?? new Set()
  const first = known.has(name) ? [] : [`prepare ${name} as ${last.sql}`]
  try {
    // Several statements answer a list of results.
    const answer: unknown = await client.query([...first, ...statements, `execute ${name}`].join('; '))
    prepared.set(client, known.add(name))
    const rows = lastRows(answer)
    return last.decode === undefined ? rows : last.decode(rows)
  } catch (error) {
    if (first.length > 0) await forget(client, name)
    throw error
  }
}

function lastRows(answer: unknown): RawRows {
  const result: QueryResult<RawRows[number]> | undefined = Array.isArray(answer) ? answer.at(-1) : undefined
  if (result === undefined) throw new Error('the server answered less than it was asked')
  return result.rows
}

/** What failed may have been prepared before that. */
async function forget(client: PoolClient, name: string): Promise<void> {
  for (const text of ['rollback', `deallocate ${name}`]) await client.query(text).catch(() => undefined)
}
