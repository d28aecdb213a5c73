import type { Action, Call, Route } from '@svc/kernel'
import type { Data } from './data.ts'
import type { RecordInput } from '../operations/operation.ts'

/**
 * An action of a domain, such as the answer of a view. It is an action like any other, with rate limit, authentication,
 * audit and a place in the documents, and is exchanged with its model: nobody meets it with records of another
 * definition.
 *
 * `access` says who may: roles, `['authenticated']`, `['*']`; or `'record'`, which lets signed-in callers reach the
 * handler, which then decides, as by `data.access(resource, call.caller)`. Without `input` it takes what every
 * operation on records takes: `{ data, query, path }`; with it the kernel makes one object of path and body, or of path
 * and query where all routes are GET, and checks it. `notes.status` is the status of an answer that went well where it
 * is not 200; `notes.query` names query parameters of an action that has a body.
 */
export interface DomainAction<I = unknown, O = unknown> extends Omit<
  Action<I, O>,
  'name' | 'summary' | 'routes' | 'bind' | 'handle'
> {
  /**
   * Its name below the key, in lower case letters, digits and hyphens, or as the definition names what it is about: `read` of
   * the key `views` is called `svc.<domain>.views.read`.
   */
  readonly name: string
  /** One sentence for documents. */
  readonly summary: string
  /** Methods and paths below every prefix of the domain: `GET /views/:name`. Its first segment is best the key. */
  readonly routes: readonly Route[]
  /**
   * Runs for each request, and again where the definition was exchanged meanwhile: of an action whose routes are all
   * GET nothing may be left by the first run, and any other holds an exchange up as long as it runs. It may wait, warn
   * by `call.warn`, and refuse by throwing an error of the kernel or of its plugin; what else it throws is 500. What it
   * returns becomes `data`; a Reply says more.
   */
  handle(input: I, call: Call, data: Data): unknown
}

/** Gives an action the types of its schemas; one without `input` is handed what operations on records are. */
export function domainAction<I = RecordInput, O = unknown>(action: DomainAction<I, O>): DomainAction<I, O> {
  return action
}
