import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { StartupError } from '@svc/kernel'
import type { RestConfig } from './config.ts'

/** A certificate chain and its key, as PEM. */
export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

/** Reads the configured certificate. Throws a StartupError where a file is unreadable or the two do not fit. */
export function readCertificate({ cert_file, key_file }: NonNullable<RestConfig['tls']>): Certificate {
  const certificate = {
    cert: readPem(cert_file, 'rest.tls.cert_file'),
    key: readPem(key_file, 'rest.tls.key_file'),
  }
  try {
    createSecureContext(certificate)
  } catch (error) {
    throw new StartupError(
      'rest',
      `the certificate '${cert_file}' and the key '${key_file}' cannot be used together (${reasonOf(error)})`,
      'Give a PEM certificate and the unencrypted PEM key that belongs to it',
      error,
    )
  }
  return certificate
}

function readPem(file: string, key: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new StartupError(
      'rest',
      `cannot read '${file}' (${reasonOf(error)})`,
      `Set '${key}' to a file that this process may read`,
      error,
    )
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
