import type { Inbound } from '@svc/kernel'
import { parseQuery } from './query.ts'
import type { Visit } from './visit.ts'

/** What the kernel's steps may want of a request; what few of them want is made when asked for. */
export class HttpInbound implements Inbound {
  readonly id: string
  readonly transport = 'rest'
  readonly remote: string
  readonly params: Readonly<Record<string, string>>
  readonly meta: Inbound['meta']
  readonly read?: () => Promise<unknown>
  readonly #visit: Visit
  #query: Readonly<Record<string, string>> | undefined
  #controller: AbortController | undefined
  #abandoned = false

  constructor(visit: Visit, params: Readonly<Record<string, string>>, read?: () => Promise<unknown>) {
    this.id = visit.requestId
    this.remote = visit.remote
    this.params = params
    this.meta = visit.meta
    this.#visit = visit
    if (read !== undefined) this.read = read
  }

  /** Throws INVALID_QUERY, and is therefore first asked for inside the pipeline. */
  get query(): Readonly<Record<string, string>> {
    return (this.#query ??= parseQuery(this.#visit.request.url))
  }

  get signal(): AbortSignal {
    return (this.#controller ??= this.#listen()).signal
  }

  /** Nobody waits for the answer any more. */
  get abandoned(): boolean {
    return this.#abandoned
  }

  /** Tells whoever still works on the answer that it comes too late. */
  abandon(): void {
    this.#abandoned = true
    this.#controller?.abort()
  }

  #listen(): AbortController {
    const controller = new AbortController()
    if (this.#abandoned) controller.abort()
    else this.#visit.onGone(() => controller.abort())
    return controller
  }
}
