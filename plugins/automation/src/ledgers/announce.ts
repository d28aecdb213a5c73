import type { Bus } from '@svc/kernel'
import type { Row } from '@svc/store/contract'

/** What the bus is told of an entry. */
export interface Announced {
  readonly domain: string
  /** The event below `svc.<domain>.`: `workflow.onboarding.started`. */
  readonly name: string
  /** When it happened, as entries have it. */
  readonly at: string
  /** The entry in full. */
  readonly entry: Row
}

/** Whether anybody listens to what `announce` would tell: an entry that nobody hears of need not be read. */
export const isHeard = (bus: Bus, { domain, name }: Pick<Announced, 'domain' | 'name'>): boolean =>
  bus.hears(busName(domain, name))

/**
 * Tells the bus what a ledger has got: `svc.<domain>.<name>` with `{id, domain, name, at, entry}`. It is for what is
 * committed: in a transaction it belongs into `afterCommit`. Nothing may depend on its being heard.
 */
export function announce(bus: Bus, { domain, name, at, entry }: Announced): void {
  bus.emit(busName(domain, name), { id: entry['id'] ?? null, domain, name, at, entry })
}

const busName = (domain: string, name: string): string => `svc.${domain}.${name}`
