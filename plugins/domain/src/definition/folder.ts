import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import type { Findings } from './findings.ts'
import { MAX_SIZE } from './limits.ts'
import { didYouMean, quoted } from './names.ts'
import { type Document, readText } from './read.ts'
import type { Source } from './source.ts'

/** Says in one sentence why a file cannot be used. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
}

/** The folder of a definition's root file. Nothing outside it is read, links included. */
export class Folder {
  /** The absolute path of the folder, without links. */
  readonly path: string
  readonly #documents = new Map<string, Document>()
  readonly #onRead: (path: string) => void
  #bytes = 0

  private constructor(path: string, onRead: (path: string) => void) {
    this.path = path
    this.#onRead = onRead
  }

  /** Opens the folder of `file` and reads the file; `onRead` is told of that and of each that follows. */
  static async open(
    file: string,
    findings: Findings,
    onRead: (path: string) => void = () => undefined,
  ): Promise<{ folder: Folder; root: Document }> {
    const path = await realpath(file).catch((error: unknown) => Promise.reject(faultOf(file, error)))
    const folder = new Folder(dirname(path), onRead)
    return { folder, root: await folder.read(path, findings) }
  }

  /**
   * The files that an entry of `$include` names, in the order of their names, a glob without the file that it
   * stands in. Throws a FileFault where one is missing or stands outside the folder.
   */
  async match(pattern: string, by: Source): Promise<readonly string[]> {
    const { glob, isDynamicPattern } = await import('tinyglobby')
    const cwd = this.#folderOf(by)
    if (!isDynamicPattern(pattern)) return [await this.find(pattern, by)]
    const found = await glob(pattern, { cwd, absolute: true, expandDirectories: false })
    const paths = await Promise.all(found.toSorted().map((path) => this.find(path, by)))
    return paths.filter((path) => path !== by.path)
  }

  /** The path of the file that `by` names. Throws a FileFault where it is missing or stands outside the folder. */
  async find(file: string, by: Source): Promise<string> {
    const path = resolve(this.#folderOf(by), file)
    if (!this.#holds(path)) throw new FileFault(`${quoted(file)} stands outside the definition's folder`)
    return this.real(path, file)
  }

  /** The path without links of a file in the folder. Throws a FileFault where it is missing or leads outside. */
  async real(path: string, file = relative(this.path, path)): Promise<string> {
    const real = await realpath(path).catch(async (error: unknown) => {
      throw faultOf(file, error, await nearestFile(path))
    })
    if (!this.#holds(real)) throw new FileFault(`${quoted(file)} leads outside the definition's folder`)
    return real
  }

  /** Reads a file once. Throws a FileFault, or a DefinitionError where its text cannot be read. */
  async read(path: string, findings: Findings): Promise<Document> {
    const known = this.#documents.get(path)
    if (known) return known
    const file = relative(this.path, path)
    this.#onRead(path)
    const document = readText(await this.#textOf(path, file), findings, { file, path })
    this.#documents.set(path, document)
    return document
  }

  async #textOf(path: string, file: string): Promise<string> {
    const status = await stat(path).catch((error: unknown) => Promise.reject(faultOf(file, error)))
    if (!status.isFile()) throw new FileFault(`${quoted(file)} is no file`)
    this.#bytes += status.size
    if (this.#bytes > MAX_SIZE) throw new FileFault(`With ${quoted(file)} the files are larger than 5 MiB`)
    const bytes = await readFile(path).catch((error: unknown) => Promise.reject(faultOf(file, error)))
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new FileFault(`${quoted(file)} is not written in UTF-8`)
    }
  }

  #folderOf(source: Source): string {
    return source.path === undefined ? this.path : dirname(source.path)
  }

  #holds(path: string): boolean {
    return path.startsWith(this.path.endsWith(sep) ? this.path : this.path + sep)
  }
}

const nearestFile = async (path: string): Promise<string | undefined> =>
  didYouMean(basename(path), await readdir(dirname(path)).catch(() => []))

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this process',
  EISDIR: 'is a folder',
  ELOOP: 'is a link that leads back to itself',
  ENAMETOOLONG: 'has a name that is too long',
}

function faultOf(file: string, error: unknown, hint?: string): FileFault {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = `${quoted(file)} ${REASONS[code] ?? 'cannot be read'}`
  return new FileFault(hint ? `${reason}. ${hint}` : reason)
}
