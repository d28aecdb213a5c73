import type { Path, Secret, Site } from '@svc/domain/contract'
import type { Environment } from '@svc/kernel'
import type { z } from 'zod'

/** The bytes of a request that is to be authorized, as they leave. */
export interface Signable {
  readonly body: Uint8Array
}

/** What authorizes a request: further headers and query parameters. */
export interface Credentials {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

/** One way to authorize requests, compiled. */
export interface Auth {
  readonly type: string
  /** Names of the headers and query parameters that it sets. */
  readonly headers: readonly string[]
  readonly query: readonly string[]
  readonly secrets: readonly Secret[]
  /** Authorizes one attempt. Throws CONFLICT where a secret is not configured. */
  authorize(request: Signable): Credentials
}

/** A kind of authorization: what is written of it, and what it does. */
export interface AuthType<T extends z.ZodType> {
  readonly definition: T
  /** Undefined where something is wrong, which is reported. */
  compile(written: z.output<T>, path: Path, site: Site, env: Environment): Auth | undefined
}

/** Gives a kind of authorization the types of its schema. */
export const authType = <T extends z.ZodType>(type: AuthType<T>): AuthType<T> => type
