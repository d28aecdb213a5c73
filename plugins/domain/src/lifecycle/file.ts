import { type Logger, SYSTEM } from '@svc/kernel'
import type { Engine } from '../engine/engine.ts'
import type { ReadModel } from './read-model.ts'

/** How a definition file comes into force. */
export interface Applying {
  readonly engine: Engine
  /** The file, as the log names it. */
  readonly file: string
  readonly allowDestructive: boolean
  readonly log: Logger
}

/**
 * Puts a definition that was read from a file in force. One that has not changed since it was applied leaves in force
 * what was submitted after it. Throws DefinitionError, DESTRUCTIVE_MIGRATION or CONFLICT.
 */
export async function applyFile(
  read: ReadModel,
  { engine, file, allowDestructive, log }: Applying,
): Promise<{ readonly unchanged: boolean; readonly ddlCount: number }> {
  if (isApplied(read, engine)) return { unchanged: true, ddlCount: 0 }
  const { model, loaded } = read
  const { text, format } = loaded
  const { ddlCount } = await engine.apply(
    read,
    { text, format, origin: 'file' },
    { caller: SYSTEM, allowDestructive },
  )
  const { name, version } = model
  log.info({ domain: name, file, version, ddl_count: ddlCount }, 'domain.file_applied')
  return { unchanged: false, ddlCount }
}

/** Whether this very file was applied last, whatever was submitted since. */
export function isApplied({ model: { name, checksum } }: ReadModel, { inForce }: Engine): boolean {
  const current = inForce.list().find(({ model }) => model.name === name)
  return current?.stored.fileChecksum === checksum
}
