// The part of autocannon that the bench uses; the package brings no types.
declare module 'autocannon' {
  export interface Request {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }
  export interface Client {
    setRequests(requests: readonly Request[]): void
  }
  export interface Options {
    readonly url: string
    readonly connections: number
    readonly duration?: number
    readonly amount?: number
    readonly requests: readonly Request[]
    readonly setupClient?: (client: Client) => void
  }
  export interface Result {
    readonly requests: { readonly total: number }
    readonly latency: { readonly p50: number; readonly p99: number }
    readonly duration: number
    readonly errors: number
    readonly timeouts: number
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>
  }
  export default function autocannon(options: Options): Promise<Result>
}
