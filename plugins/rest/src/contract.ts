import type { IncomingMessage, ServerResponse } from 'node:http'
import { capability } from '@svc/kernel'
import type { Hono } from 'hono'
import type { Env, Schema } from 'hono/types'

export { type Asset, createAsset, IMMUTABLE, REVALIDATED } from './asset.ts'
export { parseJson } from './body.ts'
export { represent, type Representation } from './representation.ts'
export { FORM, formOf, type Upload, uploadOf } from './upload.ts'

/** The HTTP server, for plugins and programs that must know where it is, speak to it, or hang something on it. */
export interface HttpServer {
  /** Where it listens, for example `http://127.0.0.1:8080`; throws while it does not listen. */
  url(): string
  /** The port that it listens on; throws while it does not listen. */
  port(): number
  /** Answers a request inside the process, as if it had come from 127.0.0.1. Never rejects. */
  fetch(request: Request): Promise<Response>
  /**
   * Hangs the middleware and routes that `app` has by now before those of the actions, and behind those that were hung
   * before; the returned function takes them off. The environment of an app that reads `c.env` is `HttpEnv`.
   */
  use<E extends Env, S extends Schema, B extends string>(app: Hono<E, S, B>): () => void
  /**
   * Says that no log line tells the segment of a path that stands behind these, however they are written, nor any further one but
   * `words`: the name stands in its place. `conceal(['privacy', 'subject'], ':identifier', ['erase'])`.
   */
  conceal(behind: readonly string[], name: string, words?: readonly string[]): void
}

/** What middleware and routes of Hono find in `c.env`. */
export interface HttpBindings {
  /** The name of the request in answers and logs. */
  readonly requestId: string
  /** The client's address; X-Forwarded-For is believed as far as the configuration says. */
  readonly remote: string
  /** Node's side of the request and of its answer; undefined for a request made inside the process. */
  readonly incoming: IncomingMessage | undefined
  readonly outgoing: ServerResponse | undefined
}

/** The environment of the server's Hono application. */
export interface HttpEnv {
  Bindings: HttpBindings
}

/** One answered request, whoever answered it. */
export interface HttpAnswered {
  readonly requestId: string
  readonly remote: string
  readonly method: string
  /** Without the query, which may hold secrets. */
  readonly path: string
  readonly status: number
  /** Milliseconds from the request's headers to its answer, or to the start of a streamed one. */
  readonly ms: number
  /** The length of the body; absent where nobody knows it. */
  readonly bytes?: number
  /** Who called; absent where nobody was known. */
  readonly username?: string
}

declare module '@svc/kernel' {
  interface EventMap {
    /** A request over HTTP was answered. */
    'http.answered': HttpAnswered
  }
}

/** The server's HTTP transport. */
export const HttpServerCapability = capability<HttpServer>('http')
