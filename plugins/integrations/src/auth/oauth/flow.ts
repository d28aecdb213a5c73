import type { Asking } from './endpoint.ts'

/** What comes back from where somebody consented. */
export interface FlowAnswer {
  readonly state: string
  readonly code: string | undefined
  /** The issuer (RFC 9207). */
  readonly iss: string | undefined
  readonly error: string | undefined
}

/** How an integration is connected, and disconnected again. */
export interface Flow {
  /** Where somebody consents, and until when; `account` has the id of who begins. */
  begin(account: string | null): Promise<{ readonly authorizationUrl: string; readonly expiresAt: string }>
  /** Throws BAD_REQUEST for an answer that fits nothing that was begun, and NotAuthorized. */
  finish(answer: FlowAnswer, asking: Asking): Promise<void>
  look(): Promise<{
    readonly connected: boolean
    readonly scopes: readonly string[] | null
    readonly expiresAt: string | null
    readonly connectedBy: string | null
    readonly connectedAt: string | null
  }>
  /** Disconnects, and gives the tokens back. */
  end(asking: Asking): Promise<void>
}
