import type { Secret } from '@svc/domain/contract'
import { AwsV4Signer } from 'aws4fetch'
import { revealed } from './secret.ts'

/** Whose name stands under a request. */
export interface AwsKeys {
  readonly accessKeyId: Secret
  readonly secretAccessKey: Secret
  readonly sessionToken: Secret | undefined
  readonly region: string
  readonly service: string
}

/** What is signed. */
export interface AwsRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Undefined where it is not signed. */
  readonly body?: Uint8Array | undefined
}

/**
 * Signs a request by AWS Signature Version 4, in its headers or, for as many seconds as `expiresIn` says, in its query. Throws CONFLICT where a
 * key is not configured.
 */
export async function signAws(
  { method, url, headers = {}, body }: AwsRequest,
  keys: AwsKeys,
  now: number,
  expiresIn?: number,
): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }> {
  const target = new URL(url)
  if (expiresIn !== undefined) target.searchParams.set('X-Amz-Expires', String(expiresIn))
  const { region, service, sessionToken } = keys
  const signer = new AwsV4Signer({
    method,
    url: target.href,
    headers: { ...headers },
    ...(body && { body: new Uint8Array(body) }),
    accessKeyId: revealed(keys.accessKeyId),
    secretAccessKey: revealed(keys.secretAccessKey),
    ...(sessionToken && { sessionToken: revealed(sessionToken) }),
    region,
    service,
    datetime: new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    signQuery: expiresIn !== undefined,
  })
  const signed = await signer.sign()
  return { url: signed.url.href, headers: Object.fromEntries(signed.headers) }
}
