import type { Path, Site } from '@svc/domain/contract'
import type { BrokerOperation } from './definition.ts'

/** Reports an operation that consumes, which this version does not; whether it does. */
export function refuseConsuming({ direction, dedupe }: BrokerOperation, path: Path, site: Site): boolean {
  if (dedupe !== undefined)
    site.problem([...path, 'dedupe'], "is about messages that come in: 'direction: consume'", 'Take it away')
  if (direction !== 'consume') return false
  site.problem([...path, 'direction'], "'consume' is not supported by this version", "Write 'publish'")
  return true
}
