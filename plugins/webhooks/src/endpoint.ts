import type { KeptSecrets } from '@svc/outbound/contract'
import type { Row } from '@svc/store/contract'

/** An endpoint as it stands in its table. */
export interface Endpoint {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly events: readonly string[]
  readonly asId: string
  readonly asName: string
  /** Sealed values by name. */
  readonly headers: Readonly<Record<string, string>>
  readonly enabled: boolean
  readonly secret: string
  readonly oldSecret: string | null
  readonly oldUntil: string | null
  readonly createdAt: string
  /** It hears what was written after this moment. */
  readonly hearsSince: string
  readonly lastSuccessAt: string | null
  readonly failingSince: string | null
}

const textOr = (value: Row[string] | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

/** Reads a row. */
export const endpointIn = (row: Row): Endpoint => ({
  id: String(row['id']),
  url: String(row['url']),
  description: textOr(row['description']),
  events: row['events'] as readonly string[],
  asId: String(row['as_id']),
  asName: String(row['as_name']),
  headers: row['headers'] as Readonly<Record<string, string>>,
  enabled: row['enabled'] === true,
  secret: String(row['secret']),
  oldSecret: textOr(row['old_secret']),
  oldUntil: textOr(row['old_until']),
  createdAt: String(row['created_at']),
  hearsSince: String(row['hears_since']),
  lastSuccessAt: textOr(row['last_success_at']),
  failingSince: textOr(row['failing_since']),
})

/** An endpoint as administrators see one: `isHeard` says whether the account that it reads as is active. */
export const shownEndpoint = (endpoint: Endpoint, isHeard: boolean): Row => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  events: endpoint.events,
  as: endpoint.asName,
  headers: Object.fromEntries(Object.keys(endpoint.headers).map((name) => [name, '[REDACTED]'])),
  enabled: endpoint.enabled,
  status: !endpoint.enabled ? 'disabled' : isHeard ? 'active' : 'paused',
  createdAt: endpoint.createdAt,
  lastSuccessAt: endpoint.lastSuccessAt,
  failingSince: endpoint.failingSince,
})

/** Where a secret of an endpoint is kept. */
export const placeOf = (endpoint: string, what: string): string => `webhooks ${endpoint} ${what}`

/** What an endpoint keeps sealed, opened; undefined where no key opens it. */
export interface OpenedSecrets {
  readonly secrets: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** Opens what a delivery needs at a moment. */
export function openSecrets(endpoint: Endpoint, kept: KeptSecrets, at: string): OpenedSecrets | undefined {
  const { id, secret, oldSecret, oldUntil } = endpoint
  const sealed = [secret, ...(oldSecret !== null && oldUntil !== null && oldUntil > at ? [oldSecret] : [])]
  const secrets = sealed.map((text) => kept.open(text, placeOf(id, 'secret')))
  const headers = Object.entries(endpoint.headers).map(
    ([name, text]) => [name, kept.open(text, placeOf(id, `header ${name.toLowerCase()}`))] as const,
  )
  if ([...secrets, ...headers.map(([, value]) => value)].includes(undefined)) return undefined
  return {
    secrets: secrets as string[],
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
  }
}
