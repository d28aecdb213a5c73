import { SYSTEM } from '@svc/kernel'
import { column, type Row, StoreCapability } from '@svc/store/contract'
import type { TestKernel } from '../../kit/test-kernel.ts'

/** An entry of the ledger of messages, as administrators see it. */
export interface Entry {
  readonly id: string
  readonly name: string
  readonly channel: string
  readonly status: string
  readonly recipient: string | null
  readonly subject: string | null
  readonly body: string
  readonly attempts: number
  readonly nextAttemptAt: string | null
  readonly sentAt: string | null
  readonly responseStatus: number | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly resendOf: string | null
  readonly [key: string]: unknown
}

/** Does all that is due by the clock of the test. */
export const tick = ({ kernel }: Pick<TestKernel, 'kernel'>): Promise<unknown> =>
  kernel.callAs(SYSTEM)('jobs.tick', {})

/** The messages of the domain `shop`, the newest first. */
export async function messages(
  { request, admin }: Pick<TestKernel, 'request' | 'admin'>,
  query = '',
): Promise<readonly Entry[]> {
  const { status, body } = await request('GET', `/api/v1/shop/notifications${query}`, { token: admin })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data.items
}

/** Nothing runs but by `tick`. */
export const STILL = { jobs: { enabled: false } } as const

/** What the outbox of the domain `shop` keeps, whoever may see it. */
export async function kept(kernel: TestKernel['kernel']): Promise<readonly Row[]> {
  const store = kernel.get(StoreCapability)
  const columns = ['recipient', 'subject', 'body', 'status'].map((name) =>
    column(name, name === 'subject' || name === 'body' ? 'json' : 'text', true),
  )
  const table = {
    name: 'shop__notifications',
    columns,
    primaryKey: [columns[0]!],
    indexes: [],
    foreignKeys: [],
  }
  return store.select({ table, columns, where: { op: 'always' }, order: [] })
}
