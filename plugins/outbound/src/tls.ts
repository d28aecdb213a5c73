import type { OutboundTls } from './contract.ts'

/** The options of node's TLS for what is written; `usual` are the authorities where nothing is said. */
export function tlsOf(tls: OutboundTls | undefined, usual: string | undefined) {
  const { ca = usual, cert, key, passphrase } = tls ?? {}
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(passphrase !== undefined && { passphrase }),
  }
}
