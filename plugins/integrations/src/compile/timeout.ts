import { compileDuration } from '@svc/automation/contract'
import type { Path, Site } from '@svc/domain/contract'

/** How long an attempt may take, in milliseconds; undefined where nothing is written, or something wrong. */
export const compileTimeout = (written: string | undefined, path: Path, site: Site): number | undefined =>
  written === undefined ? undefined : compileDuration(written, path, site, { least: '1ms', most: '60s' })?.ms
