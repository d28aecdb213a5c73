import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { AppError, type Logger } from '@svc/kernel'
import { DefinitionError } from '../definition/problem.ts'
import type { Engine } from '../engine/engine.ts'
import { applyFile, isApplied } from './file.ts'
import { tellIdle } from './idle.ts'
import { sentenceOf } from './parse-error.ts'

export interface Following {
  readonly engine: Engine
  readonly allowDestructive: boolean
  readonly log: Logger
}

/**
 * Makes a look at a definition file and all that it includes: what has changed is applied as soon as it has been
 * quiet from one look to the next, since editors write in steps. A text that is refused leaves the old one in force;
 * the log says why, once.
 */
export function followFile(file: string, { engine, allowDestructive, log }: Following): () => Promise<void> {
  let read: ReadonlySet<string> = new Set([resolve(file)])
  let seen = ''
  let applied: string | undefined
  let refused = ''

  const apply = async () => {
    const files = new Set([resolve(file)])
    try {
      const definition = await engine.readFile(file, (path) => files.add(path))
      if (isApplied(definition, engine)) return
      tellIdle(definition, { file }, log)
      await applyFile(definition, { engine, file, isConfigured: true, allowDestructive, log })
      refused = ''
    } catch (error) {
      const reasons = reasonsOf(error)
      if (reasons.join() !== refused) log.error({ file, reasons, ...wayOut(error) }, 'domain.file_refused')
      refused = reasons.join()
    } finally {
      read = files
    }
  }

  return async () => {
    const now = await stateOf(read)
    const isQuiet = now === seen
    seen = now
    if (!isQuiet || now === applied) return
    applied = now
    const known = read
    await apply()
    // Files that nobody looked at before may have changed while they were read: they are read once more.
    if (known.size !== read.size || [...read].some((path) => !known.has(path))) applied = undefined
  }
}

/** What tells that one of the files has changed, or that one has come or gone beside them. */
async function stateOf(files: ReadonlySet<string>): Promise<string> {
  const watched = new Set([...files].flatMap((path) => [path, dirname(path)]))
  const states = await Promise.all(
    [...watched].map(async (path) => {
      const found = await stat(path).catch(() => undefined)
      return found === undefined ? `${path} gone` : `${path} ${found.ino} ${found.mtimeMs} ${found.size}`
    }),
  )
  return states.join('\n')
}

/** Whoever edits a file sends nothing along with it. */
const wayOut = (error: unknown) =>
  error instanceof AppError && error.code === 'DESTRUCTIVE_MIGRATION'
    ? { hint: "Accept the losses by 'svc apply --allow-destructive'" }
    : {}

function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof DefinitionError) return error.problems.map(sentenceOf)
  if (error instanceof AppError) return [error.message, ...[error.detail.data ?? []].flat().map(String)]
  throw error
}
