import { type Action, type Actions, type Caller, errors } from '@svc/kernel'
import type { Definition } from '@svc/store/contract'
import type { Columns, SheetColumn } from '../contract/columns.ts'
import type { Data } from '../contract/data.ts'
import type { Problem } from '../definition/problem.ts'
import { partTables, tracingTables } from '../blocks/tables.ts'
import { exchangeable } from './exchange.ts'
import { namesUnknown } from './unknown.ts'
import { Gate } from './gate.ts'
import { gated } from './gated.ts'
import { Life, type LifeOptions } from './life.ts'
import type { ReadModel } from '../lifecycle/read-model.ts'
import { columnsOf } from '../overlay/alter.ts'
import { readAuthors } from '../overlay/rows.ts'
import type { StoredDomain } from '../migrate/journal.ts'
import { refuseConflict } from '../migrate/plan.ts'
import type { Model } from '../model/model.ts'
import { createData } from '../data/data.ts'
import { domainActions } from '../operations/blocks/domain-actions.ts'
import { recordActions } from '../operations/index.ts'
import { createWriter } from '../write/create-writer.ts'
import type { Runtime } from '../runtime.ts'

/** A domain in force. */
export interface Mounted {
  readonly model: Model
  /** The model for those who may not see what variables hold. */
  readonly described: Model
  readonly stored: StoredDomain
  /** The definition as it was read, without the columns that users have added. */
  readonly read: ReadModel
  /** These columns, in the order of their creation. */
  readonly columns: readonly SheetColumn[]
  /** What it would not be put in force with any more. */
  readonly faults: readonly Problem[]
}

export interface InForceOptions extends LifeOptions {
  readonly runtime: Runtime
  readonly actions: Actions
  /** Takes over what other servers have changed. */
  refresh(): Promise<void>
  /** Whether some may be on record that were not looked for. */
  isStale(): boolean
  /** Changes the columns of a resource of a domain. */
  alter(domain: string, ...change: Parameters<Columns['change']>): ReturnType<Columns['change']>
}

/** The domains that this server answers from: their models, their actions, and the gates that keep the two together. */
export class InForce {
  readonly #options: InForceOptions
  readonly #mounted = new Map<string, Mounted>()
  readonly #gates = new Map<string, Gate>()
  readonly #life: Life

  constructor(options: InForceOptions) {
    this.#options = options
    this.#life = new Life(options)
  }

  list(): readonly Mounted[] {
    return [...this.#mounted.values()].toSorted((a, b) => (a.model.name < b.model.name ? -1 : 1))
  }

  get(name: string): Mounted | undefined {
    return this.#mounted.get(name)
  }

  /** Finds a domain by its name. Throws NOT_FOUND. */
  find(name: string): Mounted {
    const found = this.#mounted.get(name.toLowerCase())
    if (found) return found
    throw errors.NOT_FOUND({ message: `There is no domain '${name}'` })
  }

  /** The models beside one. */
  others({ name }: Model): readonly Model[] {
    return this.list().flatMap(({ model }) => (model.name === name ? [] : [model]))
  }

  /** Runs a write on every model in turn, none of which is exchanged meanwhile. */
  async onEach(write: (model: Model) => Promise<void>): Promise<void> {
    const names = [...this.#mounted.keys()]
    const gates = names.map((name) => this.#gateOf(name))
    for (const gate of gates) await gate.pass(true)
    try {
      for (const { model } of this.#mounted.values()) await write(model)
    } finally {
      for (const gate of gates) gate.leave()
    }
  }

  /** The actions of a model, which wait where it is exchanged. */
  actionsOf(model: Model): readonly Action[] {
    const { runtime, actions, refresh, isStale } = this.#options
    const exchange = {
      gate: this.#gateOf(model.name),
      actions,
      refresh,
      isStale,
      isUnknown: namesUnknown(model),
    }
    const writer = createWriter(model)
    const around = {
      model,
      runtime,
      writer,
      data: createData(model, runtime, writer, this.#columnsOf(model)),
    }
    return exchangeable([...recordActions(around), ...domainActions(around)], exchange)
  }

  /** Throws where the actions of a model could not be mounted. */
  check(model: Model, mounting: readonly Action[]): void {
    this.#options.actions.check(prefixOf(model), mounting)
  }

  /** Takes note of a domain whose actions nobody may call yet. */
  note(mounted: Mounted): void {
    this.#mounted.set(mounted.model.name, mounted)
  }

  /** Puts a domain in force whose tables are there. */
  async mount(mounted: Mounted, actions: readonly Action[]): Promise<void> {
    const { model } = mounted
    const tables = partTables(model)
    if (tables.length > 0) await this.#options.runtime.store.ensure(tables)
    this.#publish(mounted, actions)
    this.#gateOf(model.name).epoch += 1
    this.#life.enter(model, () => this.#lasting(model))
  }

  /** Changes the database and the actions together; nobody meets the one without the other. Throws CallerChanged and CONFLICT. */
  exchange<T>(
    to: Mounted,
    actions: readonly Action[],
    caller: Caller,
    work: (definition: Definition) => Promise<T>,
  ): Promise<T> {
    const gate = this.#gateOf(to.model.name)
    return gate.exclusively(async () => {
      const traced = tracingTables(to.model)
      if (traced.length > 0) await this.#options.runtime.store.ensure(traced)
      const result = await this.#options.runtime
        .define(caller, async (definition) => {
          const done = await work(definition)
          gate.isChanging = true
          return done
        })
        .catch(refuseConflict)
      await this.mount(to, actions)
      return result
    })
  }

  /** Waits a moment for what lives with the model of a domain. */
  opened(name: string): Promise<void> {
    return this.#life.opened(name)
  }

  /** Ends what lives with the models in force. */
  end(): Promise<void> {
    return this.#life.end()
  }

  /** The records of a model for what lives with it. */
  #lasting(model: Model): Data {
    const data = createData(model, this.#options.runtime, createWriter(model), this.#columnsOf(model))
    return gated(data, this.#gateOf(model.name), () => this.get(model.name)?.model === model)
  }

  #columnsOf({ name }: Model): Columns {
    return {
      of: (resource) => columnsOf(this.get(name)?.columns ?? [], resource),
      authors: () => readAuthors(name, this.#options.runtime.store),
      change: (...change) => this.#options.alter(name, ...change),
    }
  }

  /** Who hears that the actions have changed finds the model that they belong to. */
  #publish(mounted: Mounted, actions: readonly Action[]): void {
    const { name } = mounted.model
    const before = this.#mounted.get(name)
    this.note(mounted)
    try {
      this.#options.actions.mount(prefixOf(mounted.model), actions)
    } catch (error) {
      if (before === undefined) this.#mounted.delete(name)
      else this.note(before)
      throw error
    }
  }

  #gateOf(name: string): Gate {
    const gate = this.#gates.get(name) ?? new Gate()
    this.#gates.set(name, gate)
    return gate
  }
}

const prefixOf = ({ name }: Model): string => `svc.${name}.`
