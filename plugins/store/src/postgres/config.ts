import { z } from 'zod'
import { longReadConfig } from '../long-read-config.ts'

const milliseconds = (byDefault: number, description: string) =>
  z.int().min(1).max(86_400_000).default(byDefault).describe(`${description}, in milliseconds`)

/** The section `postgres`. */
export const postgresConfig = z.strictObject({
  conninfo: z
    .string()
    .min(1)
    .describe("The database: 'postgresql://user:password@host:5432/name', or 'host=… dbname=… user=…'"),
  name: z.string().min(1).default('default').describe('The name that other sections refer to this store by'),
  pool_size: z
    .int()
    .min(1)
    .max(1000)
    .default(4)
    .describe(
      'The most connections that are open at once; bulk requests and imports take half of them at most',
    ),
  connect_timeout_ms: milliseconds(5000, 'How long a call waits for a connection'),
  statement_timeout_ms: milliseconds(30_000, 'How long one statement may take'),
  lock_timeout_ms: milliseconds(10_000, 'How long one statement waits for a lock'),
  idle_in_transaction_timeout_ms: milliseconds(
    30_000,
    'How long a transaction may stand idle before the server ends it',
  ),
  ...longReadConfig,
})

export type PostgresConfig = z.output<typeof postgresConfig>
