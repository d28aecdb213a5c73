import type { Call } from '@svc/kernel'

/** From where a session is used, as far as the transport knows. */
export interface Device {
  readonly address: string | null
  readonly userAgent: string | null
}

/** Browsers need some 200 characters; whatever is longer says nothing more. */
const MAX_USER_AGENT = 256

/** The device behind a call. What it says of itself is its own word. */
export const deviceOf = ({ request }: Call): Device => ({
  address: request?.remote ?? null,
  userAgent: printable(request?.meta('user-agent') ?? '') || null,
})

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_USER_AGENT)
