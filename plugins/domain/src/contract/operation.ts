import type { Call } from '@svc/kernel'
import type { Guarded } from '../model/permission.ts'
import type { RecordInput } from '../operations/operation.ts'
import type { Records } from './records.ts'

/** An operation that a block adds to a resource. */
export interface BlockOperation {
  /** Its name among the resource's actions. */
  readonly name: string
  /** One sentence for documents. */
  readonly summary: string
  /** Methods and paths below the collection, such as `GET /:id/audit`, with the permission that each needs. */
  readonly routes: Readonly<Record<string, Guarded>>
  /** Who may call it, where that is not what the routes' permissions say: roles, `authenticated` or `*`. */
  readonly access?: readonly string[]
  /** Whether it changes the columns of the resource: it holds no exchange of the model up then, and writes no records. */
  readonly alters?: true
  /**
   * Runs for each request, and again where the definition was exchanged meanwhile: of an operation whose routes are all
   * GET nothing may be left by the first run. It may wait, warn by `call.warn`, and refuse by throwing an error of the
   * kernel or of its plugin; what else it throws is 500. What it returns becomes `data`; a Reply says more.
   */
  handle(input: RecordInput, call: Call, records: Records): unknown
}
