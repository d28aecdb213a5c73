import type { Bus, Logger } from '@svc/kernel'
import type {} from '@svc/rest/contract'

/** Writes one line for each request over HTTP, until it is stopped. */
export const logAccess = (bus: Bus, log: Logger): (() => void) =>
  bus.on('http.answered', (event) => log.info(event, 'http.answered'))
