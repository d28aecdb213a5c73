import type { Change } from '@svc/domain/contract'
import type { Run } from './run.ts'

/** What the writes of a run say that they come of: the operation, its record, and how many runs led there. */
export const originOf = ({ integration, operation, recordId, chain }: Run): string =>
  JSON.stringify(['integration', integration.name, operation.name, recordId, chain])

/** The run whose writing has brought a change about. */
export interface Chain {
  readonly integration: unknown
  readonly operation: unknown
  readonly recordId: unknown
  readonly length: number
}

/** Reads what a write of a run says that it comes of, as `originOf` has it. */
export function chainOf({ origin }: Pick<Change, 'origin'>): Chain | undefined {
  if (origin?.startsWith('["integration",') !== true) return undefined
  const [, integration, operation, recordId, length] = JSON.parse(origin) as readonly unknown[]
  return { integration, operation, recordId, length: Number(length) }
}
