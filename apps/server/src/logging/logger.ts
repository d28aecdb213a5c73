import type { Logger, Redaction } from '@svc/kernel'
import { pino, stdSerializers, stdTimeFunctions } from 'pino'
import { concealed } from './concealed.ts'
import type { LoggingConfig } from './config.ts'
import { rotatingFile, type Sink } from './rotating-file.ts'
import { textLine } from './text-format.ts'

/** The server's logger, and a way to let go of its file. */
export interface ServerLogger {
  readonly log: Logger & { readonly critical: Logger['error'] }
  close(): void
}

const MIB = 1024 * 1024

/** pino's own `fatal` under the documented name. */
const LEVEL_VALUES = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, critical: 60 }

/** Makes the logger that a configuration asks for. No secret leaves it, nor a text under a key that looks like one. */
export function createLogger(
  { level, format, file }: LoggingConfig,
  redaction: Pick<Redaction, 'text' | 'json'>,
): ServerLogger {
  const sink = file ? rotatingFile(file.path, file.max_size_mb * MIB, file.max_files) : standardOutput
  const write =
    format === 'json'
      ? (line: string) => sink.write(redaction.text(line))
      : (line: string) => sink.write(textLine(line, redaction))
  const logger = pino(
    {
      level,
      customLevels: LEVEL_VALUES,
      useOnlyCustomLevels: true,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: concealed },
      serializers: { err: (error: Error) => concealed({ ...stdSerializers.err(error) }) },
      base: null,
    },
    { write },
  )
  return { log: logger, close: sink.close }
}

const standardOutput: Sink = { write: (line) => void process.stdout.write(line), close: () => undefined }
