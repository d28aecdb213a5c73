import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { StartupError } from '@svc/kernel'
import { constructFromEvents, parseEvents, YAMLException } from 'js-yaml'
import { type LineOf, linesOf, type Path } from './positions.ts'

const MAX_BYTES = 16 * 1024 * 1024
const MAX_ALIASES = 10_000

/** A seed manifest as it was read, and how to point into it. */
export interface Source {
  readonly value: unknown
  readonly lineOf: LineOf
  /** A StartupError that names the file and the line of `path`. */
  fault(path: Path, reason: string, hint?: string): StartupError
}

/** Reads a seed manifest. A relative path starts at the working folder. Throws a StartupError. */
export async function readSource(file: string): Promise<Source> {
  const path = resolve(file)
  const text = await textOf(path)
  try {
    const events = parseEvents(text, { filename: path })
    const lineOf = linesOf(text, events)
    const fault: Source['fault'] = (at, reason, hint = 'Correct the seed manifest') =>
      new StartupError('seeder', `${path}:${lineOf(at)}: ${reason}`, hint)
    const documents = constructFromEvents(events, { source: text, filename: path, maxAliases: MAX_ALIASES })
    if (documents.length > 1) throw fault([], 'there are several documents in the file', 'Keep one of them')
    return { value: documents[0] ?? {}, lineOf, fault }
  } catch (error) {
    throw error instanceof StartupError ? error : unreadable(path, error)
  }
}

/** Makes sure that a seed manifest can be read. Throws a StartupError. */
export const assertReadable = async (file: string): Promise<void> => void (await textOf(resolve(file)))

async function textOf(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > MAX_BYTES) {
      throw new StartupError(
        'seeder',
        `${path} is larger than ${MAX_BYTES} bytes`,
        'Split it, or seed over HTTP',
      )
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    if (error instanceof StartupError) throw error
    const reason = error instanceof TypeError ? 'is not UTF-8 text' : 'cannot be read'
    throw new StartupError('seeder', `${path} ${reason}`, "Correct 'seeder.seed_file', or the file", error)
  }
}

function unreadable(path: string, error: unknown): StartupError {
  const mark = error instanceof YAMLException ? error.mark : undefined
  const reason = error instanceof YAMLException ? error.reason : 'cannot be parsed'
  const at = mark ? `${path}:${mark.line + 1}:${mark.column + 1}` : path
  return new StartupError('seeder', `${at}: ${reason}`, 'Correct the YAML there', error)
}
