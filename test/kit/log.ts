import type { Logger } from '@svc/kernel'

/** One event that was logged, with the fields of the logger that it was written by. */
export interface LogEntry {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error'
  readonly event: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A logger that keeps what it is told, the oldest first. */
export interface TestLog {
  readonly logger: Logger
  readonly entries: LogEntry[]
}

/** Makes an empty log. */
export function createTestLog(): TestLog {
  const entries: LogEntry[] = []
  return { logger: writing(entries, {}), entries }
}

function writing(entries: LogEntry[], standing: Readonly<Record<string, unknown>>): Logger {
  const write = (level: LogEntry['level']) => (fields: object, event: string) =>
    void entries.push({ level, event, fields: { ...standing, ...fields } })
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => writing(entries, { ...standing, ...fields }),
  }
}

/** What was thrown where the request of this id was answered with INTERNAL_ERROR. */
export function failureOf(entries: readonly LogEntry[], requestId: string | null): unknown {
  return entries.findLast(({ fields }) => 'err' in fields && fields['requestId'] === requestId)?.fields['err']
}
