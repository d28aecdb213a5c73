import type { OutboundError } from '@svc/outbound/contract'
import type { AttemptFailure, FailureKind } from '../run/attempted.ts'

const KINDS: Readonly<Record<OutboundError['code'], FailureKind>> = {
  ADDRESS_REFUSED: 'refused',
  INVALID_REQUEST: 'answer',
  CONNECTION_FAILED: 'network',
  TLS_FAILED: 'network',
  TIMEOUT: 'timeout',
  TOO_LARGE: 'answer',
  INVALID_RESPONSE: 'network',
  CANCELLED: 'cancelled',
}

/** What it means to an attempt that nothing came back. */
export const failureOf = ({ code, message, mayHaveArrived }: OutboundError): AttemptFailure => ({
  kind: KINDS[code],
  message,
  mayHaveArrived,
})
