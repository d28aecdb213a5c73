import { Client } from 'pg'
import type { StoreUnderTest } from '../kit/stores.ts'

/** Whether an attack runs at its full size (`TEST_LONG=1`) rather than at one that fits every run of the tests. */
export const IS_LONG = process.env['TEST_LONG'] === '1'

/** Runs a work; answers what it answered and the seconds that it took. */
export async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly answer: T; readonly seconds: number }> {
  const from = performance.now()
  const answer = await work()
  return { answer, seconds: (performance.now() - from) / 1000 }
}

/** Prints one figure of an attack. */
export const tell = (what: string, seconds: number): void =>
  void process.stdout.write(`  ${what}: ${seconds.toFixed(2)} s\n`)

/**
 * The store on a server that ends no deadlock: two transactions that stand in each other's way stay there, until one
 * of them has waited too long for its lock and is refused.
 */
export const withoutRescue = (store: StoreUnderTest): StoreUnderTest => ({
  ...store,
  async open() {
    const database = await store.open()
    const section: unknown = database.config()['postgres']
    if (typeof section === 'object' && section !== null && 'conninfo' in section)
      await command(String(section.conninfo), "set deadlock_timeout = '10min'")
    return database
  },
})

/** Changes a setting of a database, for those who connect from now on. */
async function command(conninfo: string, setting: string): Promise<void> {
  const client = new Client(conninfo)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    await client.query(`alter database ${rows[0]?.name} ${setting}`)
  } finally {
    await client.end()
  }
}
