import { type Logger, SYSTEM } from '@svc/kernel'
import type { Engine } from '../engine/engine.ts'
import type { ReadModel } from './read-model.ts'

/** How a definition file comes into force. */
export interface Applying {
  readonly engine: Engine
  /** The file, as the log names it. */
  readonly file: string
  /** Whether it is a file of the configuration: the next start asks whether that has changed since. */
  readonly isConfigured: boolean
  readonly allowDestructive: boolean
  readonly log: Logger
}

/** Puts a definition that was read from a file in force. Throws DefinitionError, DESTRUCTIVE_MIGRATION or CONFLICT. */
export async function applyFile(
  read: ReadModel,
  { engine, file, isConfigured, allowDestructive, log }: Applying,
): Promise<{ readonly unchanged: boolean; readonly ddlCount: number }> {
  const { model, loaded } = read
  const { text, format } = loaded
  const { unchanged, ddlCount } = await engine.apply(
    read,
    { text, format, origin: 'file', ...(isConfigured && { fileChecksum: model.checksum }) },
    { caller: SYSTEM, allowDestructive },
  )
  if (unchanged) return { unchanged, ddlCount }
  const { name, version } = model
  log.info({ domain: name, file, version, ddl_count: ddlCount }, 'domain.file_applied')
  return { unchanged, ddlCount }
}

/** Whether a configured file has not changed since it was applied: what was submitted after it stands. */
export function isApplied({ model: { name, checksum } }: ReadModel, { inForce }: Engine): boolean {
  const current = inForce.list().find(({ model }) => model.name === name)
  return current?.stored.fileChecksum === checksum
}
