import { REDACTED } from '@svc/kernel'
import type { Authorities } from '../../auth/authorities.ts'
import type { Auth } from '../../auth/auth.ts'
import type { SendingPlace } from '../../compile/operation.ts'
import type { Sending } from '../../compile/sending.ts'
import type { RestDefinition, RestOperation } from '../../definition/rest.ts'
import { shownHeaders } from '../../wire/headers.ts'
import type { Message, ShownMessage } from '../../wire/message.ts'
import { attemptHttp } from './attempt.ts'
import { compileRequest } from './request.ts'

/** What the operations of an integration have in common. */
interface Around {
  readonly integration: string
  readonly auth: readonly Auth[]
  readonly authorities: Authorities | undefined
}

/** Compiles the request of an operation; undefined where something is wrong, which is reported. */
export function compileSending(
  written: RestOperation,
  around: RestDefinition,
  { auth, authorities, integration }: Around,
  { site, parts, path, speech, timeoutMs }: SendingPlace,
): Sending | undefined {
  const request = compileRequest(written, around, { integration, path, site, speech })
  if (request === undefined) return undefined
  const { method = 'GET', idempotency } = written
  const isRead = method === 'GET' || method === 'HEAD'
  const { outbound, maxBodyBytes, env } = parts
  const { redirects = 0 } = around
  const consented = auth.flatMap(({ isConnected }) => isConnected ?? [])
  return {
    ...request,
    ...(consented.length > 0 && {
      isConnected: async () =>
        (await Promise.all(consented.map((isConnected) => isConnected()))).every(Boolean),
    }),
    isRead,
    isRepeatable: isRead || !['POST', 'PATCH'].includes(method) || idempotency !== false,
    show: (message) => withoutCredentials(message, auth),
    tell: (shown) => ({ ...shown }),
    attempt: (message, { signal }) =>
      attemptHttp(message, {
        auth,
        authorities,
        outbound,
        timeoutMs,
        maxBodyBytes,
        redirects,
        signal,
        now: env.now,
      }),
  }
}

/** A request as people are shown it; what authorizes it is not. */
function withoutCredentials({ method, url, headers, body }: Message, auth: readonly Auth[]): ShownMessage {
  const shownUrl = new URL(url)
  for (const name of auth.flatMap((one) => one.query)) shownUrl.searchParams.set(name, REDACTED)
  const hidden = auth.flatMap((one) => one.headers.map((name) => [name.toLowerCase(), REDACTED] as const))
  return {
    method,
    url: shownUrl.href,
    headers: { ...shownHeaders(headers), ...Object.fromEntries(hidden) },
    body: body?.value ?? null,
  }
}
