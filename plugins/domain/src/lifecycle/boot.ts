import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AppError, type Logger, StartupError } from '@svc/kernel'
import type { DomainConfig } from '../config.ts'
import { DefinitionError, type Problem } from '../definition/problem.ts'
import type { Engine } from '../engine/engine.ts'
import { applyFile, isApplied } from './file.ts'
import { tellIdle } from './idle.ts'
import { sentenceOf } from './parse-error.ts'
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
 * Puts in force what is stored, then the configured files that have changed since they were applied. A domain
 * that cannot be put in force ends the start: serving the others alone would lose its routes in silence.
 */
export async function boot(engine: Engine, config: DomainConfig, log: Logger): Promise<void> {
  const { domain_file: files, allow_destructive: allowDestructive } = config
  for (const stored of await engine.stored()) {
    await orStop(`the stored domain '${stored.name}'`, () => engine.restore(stored, allowDestructive))
    log.info({ domain: stored.name, version: stored.version, origin: stored.origin }, 'domain.loaded')
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

async function orStop<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DefinitionError)
      throw stop(what, summary(error.problems), 'Correct the definition', error)
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
