import { Client } from 'pg'
import { vi } from 'vitest'

/**
 * The ways to PostgreSQL and back that `work` takes, each with the first words of its statements; `about` is a piece of the names of
 * the tables that they are about, where others are not to be told.
 */
export async function rounds(work: () => Promise<unknown>, about = ''): Promise<readonly string[]> {
  const query = vi.spyOn(Client.prototype, 'query')
  try {
    await work()
    // A new connection asks for its settings by a text.
    const sent: { statement: { sql: string } }[][] = query.mock.calls.map(
      ([asked]: readonly unknown[]) => Object(asked)['calls'] ?? [],
    )
    return sent
      .filter((calls) => calls.some(({ statement: { sql } }) => sql.includes(about)))
      .map((calls) => calls.map(({ statement: { sql } }) => sql.split(' ')[0]).join(' '))
  } finally {
    query.mockRestore()
  }
}
