import { Client } from 'pg'
import { vi } from 'vitest'

/** The ways to PostgreSQL and back that `work` takes, each with the first words of its statements. */
export async function rounds(work: () => Promise<unknown>): Promise<readonly string[]> {
  const query = vi.spyOn(Client.prototype, 'query')
  try {
    await work()
    // A new connection asks for its settings by a text.
    const sent: { statement: { sql: string } }[][] = query.mock.calls.map(
      ([asked]: readonly unknown[]) => Object(asked)['calls'] ?? [],
    )
    return sent
      .filter((calls) => calls.length > 0)
      .map((calls) => calls.map(({ statement: { sql } }) => sql.split(' ')[0]).join(' '))
  } finally {
    query.mockRestore()
  }
}
