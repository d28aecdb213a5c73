import { capability } from '@svc/kernel'

/** The one client for all that leaves: judged addresses, caps, redaction. */
export type Outbound = object

/** The server's outbound. */
export const OutboundCapability = capability<Outbound>('outbound')
