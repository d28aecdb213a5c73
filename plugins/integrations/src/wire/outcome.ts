/** What came of an operation that went well. */
export interface Outcome {
  readonly skipped: boolean
  readonly attempts: number
  readonly status: number | null
  readonly response: unknown
}
