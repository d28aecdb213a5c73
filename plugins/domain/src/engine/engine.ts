import { type Action, type Actions, type Caller, errors, type Host, type Logger, SYSTEM } from '@svc/kernel'
import { type Reader, SchemaMoved } from '@svc/store/contract'
import { DefinitionError } from '../definition/problem.ts'
import { takenPartTables } from '../blocks/tables.ts'
import type { Format } from '../definition/read.ts'
import { InForce, type Mounted } from './in-force.ts'
import { inTheWay, type ReadingOptions, Readings, settledBack } from './readings.ts'
import { makeReady } from './ready.ts'
import { Turns } from './turns.ts'
import { takenRoutes, takenTables } from '../lifecycle/collisions.ts'
import { amongFaults, tellFaults } from '../lifecycle/faults.ts'
import { faultless, type ReadModel, settledColumns } from '../lifecycle/read-model.ts'
import { isAsStored, isSame, stamp, storedOf, type Written } from '../lifecycle/stored.ts'
import { applyMigration } from '../migrate/apply.ts'
import { diffModels } from '../migrate/diff.ts'
import { readDomains, readMigrations, type StoredDomain, writeDomain } from '../migrate/journal.ts'
import type { Columns, Sheet, SheetColumn, WantedChange } from '../contract/columns.ts'
import type { Asker } from '../contract/data.ts'
import type { Resource } from '../model/resource.ts'
import { crossPlan } from '../crossing/plan.ts'
import { assertNoCircles } from '../crossing/standing.ts'
import { alter } from '../overlay/alter.ts'
import { assertNoCircleBy, assertUnread, carryName } from '../overlay/carry.ts'
import { alterationOf, announce, tellParts } from '../overlay/tell.ts'
import { readColumns, writeColumns } from '../overlay/rows.ts'
import { settleColumns } from '../overlay/settle.ts'
import { refusedChanges } from '../migrate/keys.ts'
import { settle, type SettledStep } from '../migrate/plan.ts'
import { replay, type Return, returnsTo } from '../migrate/replay.ts'
import type { Model } from '../model/model.ts'
import type { Runtime } from '../runtime.ts'

export interface EngineOptions extends ReadingOptions {
  readonly runtime: Runtime
  readonly actions: Actions
  readonly log: Logger
  readonly host: Pick<Host, 'started' | 'stopping'>
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

/** Who hears examples of the records that would lose something. What the server does by itself ends up in its log. */
const hearing = (caller: Caller): Caller | undefined => (caller.kind === 'user' ? caller : undefined)

/** Every change of the domains in force, one at a time. */
export class Engine {
  readonly #options: EngineOptions
  readonly #readings: Readings
  readonly #turns: Turns
  /** How many changes of other servers had been noticed when it was last looked for definitions. */
  #refreshedAt = 0
  readonly inForce: InForce

  constructor(options: EngineOptions) {
    this.#options = options
    this.#readings = new Readings(options)
    this.#turns = new Turns({
      store: options.runtime.store,
      revisionOf: (domain) => this.inForce.get(domain)?.stored.revision,
      takeOver: () => this.#takeOver(),
    })
    this.inForce = new InForce({
      ...options,
      refresh: () => this.refresh(),
      isStale: () => this.#refreshedAt !== this.#options.runtime.foreignChanges(),
      alter: (...change) => this.alter(...change),
    })
  }

  /** Reads a text that was submitted. Throws DefinitionError. */
  read(text: string, format: Format | undefined): Promise<ReadModel> {
    return this.#readings.submitted(text, format)
  }

  /**
   * Reads a file, which may be in force already, and what it includes; `onRead` is told of each. Throws DefinitionError. What
   * has faults is refused where it is put in force.
   */
  readFile(file: string, onRead?: (path: string) => void): Promise<ReadModel> {
    return this.#readings.file(file, onRead)
  }

  /**
   * Puts a definition in force: tables, journal and actions change in one step, or nothing does. Throws
   * DefinitionError, DESTRUCTIVE_MIGRATION, or CONFLICT where stored records are in the way.
   */
  async apply(read: ReadModel, written: Written, terms: Terms): Promise<Applied> {
    const applied = await this.#turns.change(() => this.#apply(read, written, terms))
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
    const whole = this.#readings.whole(read, settledColumns(read, current?.columns ?? []))
    await this.#refuse(whole, current, this.inForce.actionsOf(whole.model))
    return (await settle(diffModels(current?.model, whole.model), store, hearing(caller))).steps
  }

  /** Goes back to an earlier version, by default the last one. Throws NOT_FOUND or CONFLICT. */
  async rollback(
    name: string,
    target: string | undefined,
    caller: Caller,
  ): Promise<Mounted & { readonly rolledBack: readonly string[] }> {
    const applied = await this.#turns.change(() => this.#rollback(name, target, caller))
    await this.inForce.opened(applied.model.name)
    return applied
  }

  /** Changes the columns of a resource beside its definition. Throws what `decide` throws, VALIDATION_ERROR and DUPLICATE. */
  async alter(domain: string, ...change: Parameters<Columns['change']>): Promise<SheetColumn | undefined> {
    const altered = await this.#turns.change(() => this.#alter(domain, ...change))
    await this.inForce.opened(domain)
    return altered
  }

  /** Takes over what other servers have changed. */
  async refresh(): Promise<void> {
    const changes = this.#options.runtime.foreignChanges()
    await this.#turns.refresh()
    this.#refreshedAt = changes
  }

  /** In the transaction of a write by what is in force here. Throws SchemaMoved where another server has changed that. */
  async assertCurrent(reader: Reader): Promise<void> {
    if (await this.#turns.isBehind(reader)) throw new SchemaMoved(undefined)
  }

  /** The domains on record. */
  stored(): Promise<readonly StoredDomain[]> {
    return readDomains(this.#options.runtime.store)
  }

  /**
   * Puts a stored domain in force again, with what would be refused of it today; where variables that it reads have changed, as
   * a change of it.
   */
  async restore(stored: StoredDomain, allowDestructive: boolean): Promise<void> {
    const read = await this.#readings.stored(stored)
    const columns = await readColumns(stored.name, this.#options.runtime.store)
    if (isAsStored(read, stored)) {
      const whole = this.#readings.asInForce(read, columns)
      // Such as an index that an older release did not make.
      await this.#options.runtime.store.ensure(whole.model.tables)
      await this.#mount(read, whole, stored)
      return
    }
    const model = await this.#readings.ofVersion(stored, () => columns)
    this.inForce.note({ model, described: model, stored, read, columns, faults: [] })
    await this.apply(read, { ...stored, text: stored.source }, { caller: SYSTEM, allowDestructive })
  }

  /**
   * Takes note of a stored domain that cannot be restored, in whose place `next` is about to be applied. Throws DefinitionError
   * where it is not certain what its tables hold.
   */
  async supersede(stored: StoredDomain, next: ReadModel): Promise<void> {
    const columns = await readColumns(stored.name, this.#options.runtime.store)
    const model = await this.#readings.certainly(stored, columns)
    this.inForce.note({ model, described: model, stored, read: next, columns, faults: [] })
  }

  async #apply(plain: ReadModel, written: Written, { caller, allowDestructive }: Terms): Promise<Applied> {
    const { runtime, log } = this.#options
    const current = this.inForce.get(faultless(plain).model.name)
    const stored = storedOf(plain, written, current?.stored, runtime.env.now())
    if (current && isSame(current.stored, stored)) return { ...current, unchanged: true, ddlCount: 0 }
    const columns = settledColumns(plain, current?.columns ?? [])
    const read = this.#readings.whole(plain, columns)
    const { model } = read
    const actions = this.inForce.actionsOf(model)
    await this.#refuse(read, current, actions)
    const to = this.#readings.mounted(plain, read, stored)
    await this.#ready(read, current?.model)
    const migration = { from: current, to, allowDestructive, id: runtime.newId(), caller: hearing(caller) }
    const ddlCount = await this.inForce.exchange(to, actions, caller, async (definition) => {
      await this.#turns.assertCurrent(definition)
      await writeColumns(model.name, current?.columns ?? [], columns, caller, definition)
      const count = await applyMigration(migration, definition, runtime.store)
      await assertNoCircles(read.model, definition)
      return count
    })
    log.info({ domain: model.name, version: model.version, ddl_count: ddlCount }, 'domain.applied')
    return { ...to, unchanged: false, ddlCount }
  }

  async #alter(
    name: string,
    { name: resourceName }: Pick<Resource, 'name'>,
    asker: Asker,
    decide: (sheet: Sheet) => WantedChange | undefined,
  ): Promise<SheetColumn | undefined> {
    const { runtime, language, log } = this.#options
    const current = this.inForce.find(name)
    const resource = current.model.resources.get(resourceName)
    if (resource === undefined) throw errors.NOT_FOUND({ message: 'This is no longer offered' })
    const at = new Date(runtime.env.now()).toISOString()
    const acceptLanguage = asker.request?.meta('accept-language')
    const graph = await crossPlan(current.model.resources)?.graph(runtime.store)
    const altered = alter(decide, {
      graph,
      model: current.model,
      resource,
      columns: current.columns,
      types: language.types,
      caller: asker.caller,
      acceptLanguage,
      at,
      newId: runtime.newId,
    })
    if (altered === undefined) return undefined
    const read = this.#readings.altered(current, altered.columns, altered.renames)
    const stored = { ...current.stored, revision: current.stored.revision + 1 }
    const to = { ...this.#readings.mounted(current.read, read, stored), columns: altered.columns }
    await this.#ready(read, current.model)
    const migration = { from: current, to, allowDestructive: true, id: runtime.newId() }
    const alteration = alterationOf(altered, { to: read.model, asker, at, runtime })
    const actions = this.inForce.actionsOf(read.model)
    await this.inForce.exchange(to, actions, asker.caller, async (definition) => {
      await this.#turns.assertCurrent(definition)
      if (altered.change === 'deleted') await assertUnread(resource, altered.column.name, definition)
      await applyMigration(migration, definition, runtime.store)
      const reading = { resource: alteration.resource, acceptLanguage }
      const { change, previousName, column } = altered
      if (previousName !== null)
        await carryName({ resource: resourceName, from: previousName, to: column.name }, reading, definition)
      if (change === 'added' || change === 'renamed')
        await assertNoCircleBy(column.name, change === 'added' ? 'expression' : 'name', reading, definition)
      await writeColumns(name, current.columns, altered.columns, asker.caller, definition)
      await tellParts(alteration, read.model, definition)
    })
    log.info(
      { domain: name, resource: resourceName, column: altered.column.name },
      `domain.column_${altered.change}`,
    )
    announce(alteration, runtime.bus)
    return altered.column
  }

  async #rollback(name: string, target: string | undefined, caller: Caller) {
    const { runtime } = this.#options
    const current = this.inForce.find(name)
    const chosen = returnsTo(await readMigrations(current.model.name, runtime.store), target)
    const returns: Return[] = []
    for (const { migration, prior } of chosen) {
      const after = returns.at(-1)?.before ?? current.model
      const before = await this.#readings.ofVersion(
        prior,
        (plain) => settleColumns(current.columns, plain, after.definition).columns,
      )
      returns.push({ migration, after, before })
    }
    const stored = { ...current.stored, ...chosen.at(-1)?.prior, ...stamp(current.stored, runtime.env.now()) }
    const plain = await this.#readings.again(stored)
    const columns = settledBack(plain, current)
    const read = this.#readings.whole(plain, columns)
    const actions = this.inForce.actionsOf(read.model)
    await this.#refuse(read, current, actions).catch(inTheWay)
    for (const { before } of returns) await makeReady(before).catch(inTheWay)
    await this.#ready(read, current.model).catch(inTheWay)
    const to = this.#readings.mounted(plain, read, stored)
    await this.inForce.exchange(to, actions, caller, async (definition) => {
      await this.#turns.assertCurrent(definition)
      await writeColumns(stored.name, current.columns, columns, caller, definition)
      await replay(returns, definition)
      await assertNoCircles(read.model, definition)
      await writeDomain(stored, false, definition)
    })
    return { ...to, rolledBack: chosen.map(({ migration }) => migration.id) }
  }

  /** Before records are brought from one model to another, both can read and write their values. */
  async #ready({ model, loaded }: ReadModel, from?: Model): Promise<void> {
    if (from) await makeReady(from)
    await makeReady(model, loaded.positionOf)
  }

  /** Mounts what is in force by the database, and tells what is new of its faults. */
  async #mount(plain: ReadModel, read: ReadModel, stored: StoredDomain): Promise<void> {
    const isKnown = amongFaults(this.inForce.get(stored.name)?.faults ?? [])
    await this.#ready(read)
    await this.inForce.mount(this.#readings.mounted(plain, read, stored), this.inForce.actionsOf(read.model))
    const faults = read.faults.filter((one) => !isKnown(one))
    tellFaults(stored.name, faults, this.#options.log)
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

  async #takeOver(): Promise<void> {
    const { log, runtime } = this.#options
    const { store } = runtime
    for (const stored of await readDomains(store)) {
      if (this.inForce.get(stored.name)?.stored.revision === stored.revision) continue
      const known = this.inForce.get(stored.name)
      const isSameText = known?.stored.resolved === stored.resolved && known.stored.origin === stored.origin
      const read = isSameText ? known.read : await this.#readings.stored(stored)
      if (!isAsStored(read, stored)) log.warn({ domain: stored.name }, 'domain.variables_differ')
      const columns = await readColumns(stored.name, store)
      await this.#mount(read, this.#readings.asInForce(read, columns), stored)
      log.info({ domain: stored.name, version: stored.version }, 'domain.taken_over')
    }
  }
}
