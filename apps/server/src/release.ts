import { readFileSync } from 'node:fs'
import type { Release } from '@svc/kernel'

const packageFile = new URL('../package.json', import.meta.url)

/** The build that is running: the package's version, and what the builder said of it. */
export const RELEASE: Release = Object.freeze({
  version: (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version,
  build: process.env['SVC_BUILD'] ?? 'source',
  commit: process.env['SVC_COMMIT'] ?? 'unknown',
})
