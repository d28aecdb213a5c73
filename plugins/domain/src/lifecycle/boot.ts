import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AppError, type Logger, StartupError } from '@svc/kernel'
import type { DomainConfig } from '../config.ts'
import { DefinitionError, type Problem } from '../definition/problem.ts'
import type { Engine } from '../engine/engine.ts'
import { applyFile, isApplied } from './file.ts'
import { tellIdle } from './idle.ts'
import { sentenceOf } from './parse-error.ts'
import type { StoredDomain } from '../migrate/journal.ts'
import type { ReadModel } from './read-model.ts'

/** Problems that the message of a failed start names. */
const NAMED = 3

/** Makes sure that the configured files can be read. Throws a StartupError that names each that cannot. */
export async function assertReadable(files: readonly string[]): Promise<void> {
  const tried = await Promise.allSettled(files.map((file) => readFile(resolve(file))))
  const faults = tried.flatMap((one, at) =>
    one.status === 'rejected' ? [`cannot read '${resolve(files[at]!)}' (${reasonOf(one.reason)})`] : [],
  )
  if (faults.length > 0) throw new StartupError('domain', faults.join(', '), "Correct 'domain.domain_file'")
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this process may not',
}

const reasonOf = (error: NodeJS.ErrnoException): string => REASONS[error.code ?? ''] ?? error.message

/**
 * Puts in force what is stored, then the configured files that have changed since they were applied; these take the place of
 * what cannot be restored. A domain that cannot be put in force ends the start: serving the others alone would lose its routes
 * in silence.
 */
export async function boot(engine: Engine, config: DomainConfig, log: Logger): Promise<void> {
  const { domain_file: files, allow_destructive: allowDestructive } = config
  for (const stored of await engine.stored()) {
    const what = `the stored domain '${stored.name}'`
    const refused = await orStop(what, () => restored(stored, engine, allowDestructive))
    if (refused === undefined) {
      log.info({ domain: stored.name, version: stored.version, origin: stored.origin }, 'domain.loaded')
      continue
    }
    const next = await changedFile(stored, files, engine)
    if (next === undefined) throw stop(what, summary(refused.problems), ELSEWHERE, refused)
    await orStop(what, () => engine.supersede(stored, next.read), BEFORE)
    const reasons = refused.problems.map(sentenceOf)
    log.warn({ domain: stored.name, file: next.file, reasons }, 'domain.superseded')
  }
  const owners = new Map<string, string>()
  for (const file of files) {
    const read = await orStop(file, () => engine.readFile(file))
    refuseSecond(read.model.name, file, owners)
    tellIdle(read, { file }, log)
    const applying = { engine, file, isConfigured: true, allowDestructive, log }
    if (isApplied(read, engine)) tellUnchanged(read, file, engine, log)
    else await orStop(file, () => applyFile(read, applying))
  }
}

const BEFORE = 'Start the release that has stored it, with its plugins, and correct the definition there'
const ELSEWHERE = `Name a corrected definition of it in 'domain.domain_file'. Otherwise: ${BEFORE}`

/** Puts a stored domain in force; answers what keeps a model from being made of it. */
async function restored(
  stored: StoredDomain,
  engine: Engine,
  allowDestructive: boolean,
): Promise<DefinitionError | undefined> {
  try {
    await engine.restore(stored, allowDestructive)
    return undefined
  } catch (error) {
    if (error instanceof DefinitionError) return error
    throw error
  }
}

/** The configured file of a domain, where it can be read and is another one than was applied: what was submitted after that stands. */
async function changedFile(
  { name, fileChecksum }: StoredDomain,
  files: readonly string[],
  engine: Engine,
): Promise<{ readonly file: string; readonly read: ReadModel } | undefined> {
  for (const file of files) {
    const read = await engine.readFile(file).catch(orUndefined)
    if (read?.model.name === name && read.model.checksum !== fileChecksum) return { file, read }
  }
  return undefined
}

function orUndefined(error: unknown): undefined {
  if (!(error instanceof DefinitionError)) throw error
}

function refuseSecond(name: string, file: string, owners: Map<string, string>): void {
  const other = owners.get(name)
  if (other !== undefined)
    throw new StartupError(
      'domain',
      `'${other}' and '${file}' both define '${name}'`,
      'Configure one of them',
    )
  owners.set(name, file)
}

function tellUnchanged({ model: { name } }: ReadModel, file: string, { inForce }: Engine, log: Logger): void {
  const { version, origin } = inForce.find(name).stored
  log.info({ domain: name, file, version, origin }, 'domain.file_unchanged')
}

async function orStop<T>(what: string, work: () => Promise<T>, hint = 'Correct the definition'): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DefinitionError) throw stop(what, summary(error.problems), hint, error)
    if (error instanceof AppError) throw stop(what, told(error), hintFor(error), error)
    throw error
  }
}

const stop = (what: string, why: string, hint: string | undefined, cause: unknown): StartupError =>
  new StartupError('domain', `${what}: ${why}`, hint, cause)

function summary(problems: readonly Problem[]): string {
  const named = problems.slice(0, NAMED).map((one) => {
    const file = one.position?.file
    return file === undefined ? sentenceOf(one) : `${file} ${sentenceOf(one)}`
  })
  const others = problems.length - named.length
  return [...named, ...(others > 0 ? [`and ${others} more`] : [])].join('; ')
}

function told({ message, detail }: AppError): string {
  return Array.isArray(detail.data) ? `${message}: ${detail.data.join('; ')}` : message
}

const hintFor = ({ code }: AppError): string | undefined =>
  code === 'DESTRUCTIVE_MIGRATION' ? "Set 'domain.allow_destructive' to accept the losses" : undefined
