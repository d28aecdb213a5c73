import { type Bus, type Close, type Logger, StartupError } from '@svc/kernel'
import { connect } from './connect.ts'
import { readScripts, type ScriptFile } from './folder.ts'
import { loadScript, ScriptFault } from './load.ts'
import { Script, type ScriptTools } from './script.ts'

export interface LibraryOptions extends ScriptTools {
  readonly dir: string
  readonly timeoutMs: number
  readonly memoryMb: number
  readonly bus: Bus
  readonly log: Logger
  /** Is told which scripts there are, once that has changed. */
  loaded(scripts: readonly Script[]): void
}

/** The scripts of a folder, as they were when they were last found right. */
export class Library {
  readonly #options: LibraryOptions
  #scripts: ReadonlyMap<string, Script> = new Map()
  /** The text of files that were refused, so that each is complained of once. */
  readonly #refused = new Map<string, string>()
  #disconnect: Close = () => undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(options: LibraryOptions) {
    this.#options = options
  }

  /** Loads every script. Throws a StartupError for the first that is not right. */
  async load(): Promise<void> {
    const files = await readScripts(this.#options.dir)
    const loaded = await Promise.allSettled(files.map((file) => this.#load(file)))
    this.#exchange(loaded.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
    for (const [at, one] of loaded.entries())
      if (one.status === 'rejected') throw unusable(files[at]!.file, one.reason)
  }

  /** Takes over what has changed in the folder; a script that is not right stays as it was. */
  refresh(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#refresh()).catch((error) => this.#complain(error))
    return this.#turn
  }

  async close(): Promise<void> {
    await this.#turn
    void this.#disconnect()
    await Promise.all([...this.#scripts.values()].map((script) => script.close()))
  }

  async #refresh(): Promise<void> {
    const files = await readScripts(this.#options.dir)
    const next: Script[] = []
    for (const file of files) {
      const present = this.#scripts.get(file.file)
      const script = present?.options.source === file.source ? present : await this.#renewed(file)
      if (script !== undefined) next.push(script)
    }
    this.#exchange(next)
  }

  async #renewed(file: ScriptFile): Promise<Script | undefined> {
    const present = this.#scripts.get(file.file)
    if (this.#refused.get(file.file) === file.source) return present
    try {
      return await this.#load(file)
    } catch (error) {
      this.#refused.set(file.file, file.source)
      const fields = { script: file.file, reason: reasonOf(error), kept: present !== undefined }
      this.#options.log.error(fields, 'script.refused')
      return present
    }
  }

  async #load({ file, source }: ScriptFile): Promise<Script> {
    const { timeoutMs, memoryMb, log } = this.#options
    const options = { file, source, timeoutMs, memoryMb }
    const script = new Script(options, await loadScript(options), this.#options)
    this.#refused.delete(file)
    log.info({ script: file, handlers: script.registrations.length }, 'script.loaded')
    return script
  }

  /** Events go to the new scripts from here on; those that are replaced finish what they have begun. */
  #exchange(scripts: readonly Script[]): void {
    const { bus, log } = this.#options
    const next = new Map(scripts.map((script) => [script.options.file, script]))
    const gone = [...this.#scripts].filter(([file, script]) => next.get(file) !== script)
    void this.#disconnect()
    this.#disconnect = connect(scripts, bus)
    const isOther = gone.length > 0 || next.size !== this.#scripts.size
    this.#scripts = next
    if (isOther) this.#options.loaded(scripts)
    for (const [file, script] of gone) {
      if (!next.has(file)) log.info({ script: file }, 'script.removed')
      void script.close()
    }
  }

  #complain(error: unknown): void {
    this.#options.log.error({ reason: reasonOf(error) }, 'scripting.not_refreshed')
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const unusable = (file: string, error: unknown) =>
  new StartupError(
    'scripting',
    `${file}: ${reasonOf(error)}`,
    error instanceof ScriptFault ? 'Correct the script, or take it out of the folder' : undefined,
    error,
  )
