import type { Path, Secret, Site } from '@svc/domain/contract'
import type { OutboundTls } from '@svc/outbound/contract'
import type { z } from 'zod'
import type { Parts } from '../parts.ts'
import type { Flow } from './oauth/flow.ts'

/** A request that is to be authorized, as it leaves. */
export interface Signable {
  readonly method: string
  readonly url: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Ends whatever has to be asked for it, which takes no longer than the attempt may. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** What authorizes a request: further headers and query parameters. */
export interface Credentials {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** How TLS is spoken. */
  readonly tls?: OutboundTls
  /** Addresses and ranges besides which nothing is connected to. */
  readonly only?: readonly string[]
}

/** One way to authorize requests, compiled. */
export interface Auth {
  readonly type: string
  /** Names of the headers and query parameters that it sets. */
  readonly headers: readonly string[]
  readonly query: readonly string[]
  readonly secrets: readonly Secret[]
  /** It signs what the others have made of the request: it comes last. */
  readonly isLast?: true
  /** Authorizes one attempt. Throws CONFLICT where a secret is not configured, and NotAuthorized. */
  authorize(request: Signable): Credentials | Promise<Credentials>
  /** What it gave was refused by 401: the next time it gives something else. */
  renew?(used: Credentials): Promise<void>
  /** Whether somebody has consented, of ways that need it. */
  isConnected?(): Promise<boolean>
  /** How somebody consents. */
  readonly flow?: Flow
}

/** What ways to authorize are compiled with. */
export interface AuthParts extends Pick<
  Parts,
  'accounts' | 'env' | 'files' | 'kept' | 'newId' | 'outbound' | 'publicUrl' | 'redaction' | 'store'
> {}

/** A kind of authorization: what is written of it, and what it does. */
export interface AuthType<T extends z.ZodType> {
  readonly definition: T
  /** Undefined where something is wrong, which is reported. */
  compile(written: z.output<T>, path: Path, site: Site, parts: AuthParts): Auth | undefined
}

/** Gives a kind of authorization the types of its schema. */
export const authType = <T extends z.ZodType>(type: AuthType<T>): AuthType<T> => type
