import { compileDuration } from '@svc/automation/contract'
import type { Path, Site } from '@svc/domain/contract'
import type { CommonDefinition } from '../definition/integration.ts'
import type { LogPolicy } from '../run/logged.ts'

const DAY_MS = 86_400_000

/** Compiles the keys `log` and `redact`. */
export function compileLog(
  { log = {}, redact = [] }: Pick<CommonDefinition, 'log' | 'redact'>,
  path: Path,
  site: Site,
): LogPolicy {
  const { bodies = true, retention } = log
  const kept =
    retention === undefined
      ? undefined
      : compileDuration(retention, [...path, 'log', 'retention'], site, { least: '1m', most: '3650d' })
  return {
    hasBodies: bodies,
    retentionDays: kept && kept.ms / DAY_MS,
    redact: new Set(redact.map((name) => name.toLowerCase())),
  }
}
