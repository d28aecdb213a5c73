import {
  type Action,
  type Actions,
  type Caller,
  errors,
  type Host,
  type Logger,
  SYSTEM,
  type Variables,
} from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import { DefinitionError } from '../definition/problem.ts'
import { takenPartTables } from '../blocks/tables.ts'
import type { Format } from '../definition/read.ts'
import { InForce, type Mounted } from './in-force.ts'
import { takenRoutes, takenTables } from '../lifecycle/collisions.ts'
import {
  describedModel,
  type Language,
  modelOfSnapshot,
  type ReadModel,
  readModel,
} from '../lifecycle/read-model.ts'
import { isAsStored, isSame, stamp, storedOf, type Written } from '../lifecycle/stored.ts'
import { applyMigration } from '../migrate/apply.ts'
import { diffModels } from '../migrate/diff.ts'
import {
  readDomains,
  readMigrations,
  readRevisions,
  type StoredDomain,
  type StoredVersion,
  writeDomain,
} from '../migrate/journal.ts'
import { refusedChanges } from '../migrate/keys.ts'
import { settle, type SettledStep } from '../migrate/plan.ts'
import { replay, type Return, returnsTo } from '../migrate/replay.ts'
import type { Model } from '../model/model.ts'
import type { Runtime } from '../runtime.ts'

export interface EngineOptions {
  readonly runtime: Runtime
  readonly actions: Actions
  readonly log: Logger
  readonly host: Pick<Host, 'started' | 'stopping'>
  readonly language: Language
  /** The variables that a definition may read, by where it comes from. */
  readonly variables: Readonly<Record<StoredDomain['origin'], Variables>>
}

/** On whose behalf a definition is put in force, and what it may cost. */
export interface Terms {
  readonly caller: Caller
  readonly allowDestructive: boolean
}

export interface Applied extends Mounted {
  /** Nothing was to be done: the definition is in force already. */
  readonly unchanged: boolean
  /** How many statements changed the schema. */
  readonly ddlCount: number
}

/** Another server has changed a domain meanwhile. */
class Overtaken extends Error {}

/** Who hears examples of the records that would lose something. What the server does by itself ends up in its log. */
const hearing = (caller: Caller): Caller | undefined => (caller.kind === 'user' ? caller : undefined)

/** How often a change starts again after another server's. */
const ATTEMPTS = 5

/** Every change of the domains in force, one at a time. */
export class Engine {
  readonly #options: EngineOptions
  readonly inForce: InForce
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: EngineOptions) {
    this.#options = options
    this.inForce = new InForce({ ...options, refresh: () => this.refresh() })
  }

  /** Reads a text that was submitted. Throws DefinitionError. */
  read(text: string, format: Format | undefined): Promise<ReadModel> {
    return readModel({ text, format }, this.#options.language, this.#options.variables.submitted)
  }

  /** Reads a file and what it includes; `onRead` is told of each. Throws DefinitionError. */
  readFile(file: string, onRead?: (path: string) => void): Promise<ReadModel> {
    return readModel({ file, onRead }, this.#options.language, this.#options.variables.file)
  }

  /**
   * Puts a definition in force: tables, journal and actions change in one step, or nothing does. Throws
   * DefinitionError, DESTRUCTIVE_MIGRATION, or CONFLICT where stored records are in the way.
   */
  async apply(read: ReadModel, written: Written, terms: Terms): Promise<Applied> {
    const applied = await this.#change(() => this.#apply(read, written, terms))
    await this.inForce.opened(applied.model.name)
    return applied
  }

  /**
   * The steps that applying a definition would take, and what they lose, with examples for `caller`. Throws
   * DefinitionError.
   */
  async preview(read: ReadModel, caller: Caller): Promise<readonly SettledStep[]> {
    const { store } = this.#options.runtime
    await this.refresh()
    const current = this.inForce.get(read.model.name)
    await this.#refuse(read, current, this.inForce.actionsOf(read.model))
    return (await settle(diffModels(current?.model, read.model), store, hearing(caller))).steps
  }

  /** Goes back to an earlier version, by default the last one. Throws NOT_FOUND or CONFLICT. */
  async rollback(
    name: string,
    target: string | undefined,
    caller: Caller,
  ): Promise<Mounted & { readonly rolledBack: readonly string[] }> {
    const applied = await this.#change(() => this.#rollback(name, target, caller))
    await this.inForce.opened(applied.model.name)
    return applied
  }

  /** Takes over what other servers have changed. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#refresh())
  }

  /** The domains on record. */
  stored(): Promise<readonly StoredDomain[]> {
    return readDomains(this.#options.runtime.store)
  }

  /** Puts a stored domain in force again; where variables that it reads have changed, as a change of it. */
  async restore(stored: StoredDomain, allowDestructive: boolean): Promise<void> {
    const read = await this.#readStored(stored)
    if (isAsStored(read, stored)) {
      // Such as an index that an older release did not make.
      await this.#options.runtime.store.ensure(read.model.tables)
      await this.#mount(read, stored, this.inForce.actionsOf(read.model))
      return
    }
    const model = await this.#modelOf(stored)
    this.inForce.note({ model, described: model, stored })
    await this.apply(read, { ...stored, text: stored.source }, { caller: SYSTEM, allowDestructive })
  }

  async #apply(read: ReadModel, written: Written, { caller, allowDestructive }: Terms): Promise<Applied> {
    const { runtime, log } = this.#options
    const { model } = read
    const current = this.inForce.get(model.name)
    const stored = storedOf(read, written, current?.stored, runtime.env.now())
    if (current && isSame(current.stored, stored)) return { ...current, unchanged: true, ddlCount: 0 }
    const actions = this.inForce.actionsOf(model)
    await this.#refuse(read, current, actions)
    const to = { model, described: describedModel(read, this.#options.language), stored }
    const migration = { from: current, to, allowDestructive, id: runtime.newId(), caller: hearing(caller) }
    const ddlCount = await this.inForce.exchange(to, actions, caller, async (definition) => {
      await this.#assertCurrent(definition)
      return applyMigration(migration, definition, runtime.store)
    })
    log.info({ domain: model.name, version: model.version, ddl_count: ddlCount }, 'domain.applied')
    return { ...to, unchanged: false, ddlCount }
  }

  async #rollback(name: string, target: string | undefined, caller: Caller) {
    const { runtime, language } = this.#options
    const current = this.inForce.find(name)
    const chosen = returnsTo(await readMigrations(current.model.name, runtime.store), target)
    const returns: Return[] = []
    for (const { migration, prior } of chosen) {
      const after = returns.at(-1)?.before ?? current.model
      returns.push({ migration, after, before: await this.#modelOf(prior) })
    }
    const stored = { ...current.stored, ...chosen.at(-1)?.prior, ...stamp(current.stored, runtime.env.now()) }
    const read = await this.#readAgain(stored)
    const actions = this.inForce.actionsOf(read.model)
    await this.#refuse(read, current, actions).catch(inTheWay)
    const to = { model: read.model, described: describedModel(read, language), stored }
    await this.inForce.exchange(to, actions, caller, async (definition) => {
      await this.#assertCurrent(definition)
      await replay(returns, definition)
      await writeDomain(stored, false, definition)
    })
    return { ...to, rolledBack: chosen.map(({ migration }) => migration.id) }
  }

  #mount(read: ReadModel, stored: StoredDomain, actions: readonly Action[]): Promise<void> {
    return this.inForce.mount(
      { model: read.model, described: describedModel(read, this.#options.language), stored },
      actions,
    )
  }

  /** Throws DefinitionError for what fits neither the stored records nor the rest of the server. */
  async #refuse(read: ReadModel, current: Mounted | undefined, mounting: readonly Action[]): Promise<void> {
    const { runtime } = this.#options
    const { model, loaded } = read
    const { tables } = await runtime.store.catalog()
    const problems = [
      ...(current ? refusedChanges(current.model, model) : []),
      ...takenTables(model, current?.model, tables),
      ...takenPartTables(model, current?.model, this.inForce.others(model), tables),
      ...takenRoutes(() => this.inForce.check(model, mounting)),
    ]
    if (problems.length === 0) return
    throw new DefinitionError(problems.map((one) => ({ ...one, position: loaded.positionOf(one.path) })))
  }

  #readStored({ resolved, origin }: StoredDomain): Promise<ReadModel> {
    const { language, variables } = this.#options
    return readModel({ text: resolved, format: 'json' }, language, variables[origin])
  }

  /** The model whose tables a version has. */
  #modelOf({ snapshot, origin }: StoredVersion): Promise<Model> {
    const { language, variables } = this.#options
    return modelOfSnapshot(snapshot, language, variables[origin])
  }

  /** Reads an earlier version, which has to mean what it meant then. */
  async #readAgain(stored: StoredDomain): Promise<ReadModel> {
    const read = await this.#readStored(stored).catch(inTheWay)
    if (isAsStored(read, stored)) return read
    throw errors.CONFLICT({ message: `Variables that version '${stored.version}' reads have changed since` })
  }

  async #assertCurrent(reader: Reader): Promise<void> {
    if (await this.#isBehind(reader)) throw new Overtaken('another server has changed a domain')
  }

  async #isBehind(reader: Reader): Promise<boolean> {
    const revisions = await readRevisions(reader)
    const known = (name: string) => this.inForce.get(name)?.stored.revision
    return [...revisions].some(([name, revision]) => known(name) !== revision)
  }

  async #refresh(): Promise<void> {
    const { log, runtime } = this.#options
    const { store } = runtime
    if (!(await this.#isBehind(store))) return
    for (const stored of await readDomains(store)) {
      if (this.inForce.get(stored.name)?.stored.revision === stored.revision) continue
      const read = await this.#readStored(stored)
      if (!isAsStored(read, stored)) log.warn({ domain: stored.name }, 'domain.variables_differ')
      await this.#mount(read, stored, this.inForce.actionsOf(read.model))
      log.info({ domain: stored.name, version: stored.version }, 'domain.taken_over')
    }
  }

  /** Runs a change on what is in force now, and again where another server was faster. */
  #change<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      for (let attempt = 1; ; attempt += 1) {
        await this.#refresh()
        try {
          return await work()
        } catch (error) {
          if (!(await this.#isOvertaken(error))) throw error
          if (attempt === ATTEMPTS)
            throw errors.CONFLICT({ message: 'Other servers keep changing domains: try again' })
        }
      }
    })
  }

  /** What looks wrong with a definition may be right beside what another server has changed. */
  async #isOvertaken(error: unknown): Promise<boolean> {
    if (error instanceof Overtaken) return true
    return error instanceof DefinitionError && this.#isBehind(this.#options.runtime.store)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => undefined)
    return result
  }
}

/** A version that was in force cannot be wrong by itself: something around it has changed. */
function inTheWay(error: unknown): never {
  if (!(error instanceof DefinitionError)) throw error
  throw errors.CONFLICT({ message: `The earlier version cannot be used any more: ${error.message}` })
}
