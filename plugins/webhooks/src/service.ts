import type { Accounts } from '@svc/auth/contract'
import { type Environment, errors } from '@svc/kernel'
import type { JobKind } from '@svc/jobs/contract'
import type { KeptSecrets } from '@svc/outbound/contract'
import type { Domains } from '@svc/domain/contract'
import type { Events } from '@svc/events/contract'
import type { Row, Store, Transaction } from '@svc/store/contract'
import type { AttemptParts } from './attempt.ts'
import type { WebhooksConfig } from './config.ts'
import type { DeliveryJob } from './deliver.ts'
import { type Endpoint, placeOf, shownEndpoint } from './endpoint.ts'
import type { KnownEndpoints } from './endpoints.ts'
import { endpoints } from './tables.ts'

/** What the actions of this plugin work with. */
export interface Service extends AttemptParts {
  readonly accounts: Accounts
  readonly config: WebhooksConfig
  readonly domains: Domains
  readonly events: Events
  readonly jobs: JobKind<DeliveryJob>
  readonly kept: KeptSecrets
  readonly known: KnownEndpoints
  readonly newId: () => string
  readonly store: Store
}

/** A time as it is stored. */
export const moment = ({ env }: { readonly env: Pick<Environment, 'now'> }, plusMs = 0): string =>
  new Date(env.now() + plusMs).toISOString()

/** A secret that signs: 32 random bytes, as Standard Webhooks 1.0.0 write one. */
export const newSecret = (env: Pick<Environment, 'randomBytes'>): string =>
  `whsec_${Buffer.from(env.randomBytes(32)).toString('base64')}`

/** Seals header values, each for its place; one that is shown as hidden stays what it was. */
export function sealHeaders(
  id: string,
  headers: Readonly<Record<string, string>>,
  kept: KeptSecrets,
  former: Readonly<Record<string, string>> = {},
): Row {
  const known = new Map(Object.entries(former).map(([name, sealed]) => [name.toLowerCase(), sealed]))
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      (value === '[REDACTED]' ? known.get(name.toLowerCase()) : undefined) ??
        kept.seal(value, placeOf(id, `header ${name.toLowerCase()}`)),
    ]),
  )
}

/** Endpoints as administrators see them. */
export async function shownEndpoints(
  endpoints: readonly Endpoint[],
  { accounts }: Pick<Service, 'accounts'>,
): Promise<readonly Row[]> {
  const ids = [...new Set(endpoints.map(({ asId }) => asId))]
  const active = new Set((await accounts.active({ ids }, ids.length + 1)).map(({ id }) => id))
  return endpoints.map((one) => shownEndpoint(one, active.has(one.asId)))
}

/** Throws UNAVAILABLE where no events are kept. */
export function assertKept({ events }: Pick<Service, 'events'>): void {
  if (!events.isOutbox)
    throw errors.UNAVAILABLE({ message: 'This server keeps no events: events.enabled is false' })
}

/** Throws CONFLICT where there are as many endpoints as there may be; until the transaction ends nobody else adds one. */
export async function assertRoom(
  transaction: Transaction,
  { config }: Pick<Service, 'config'>,
): Promise<void> {
  // Who had to wait counts those that were added meanwhile.
  await transaction.exclusiveLock('webhook endpoints')
  if ((await transaction.count({ table: endpoints, where: { op: 'always' } })) < config.max_endpoints) return
  throw errors.CONFLICT({
    message: `There are ${config.max_endpoints} webhook endpoints already (webhooks.max_endpoints): remove one first`,
  })
}
