import { setImmediate as aside } from 'node:timers/promises'
import { errors } from '@svc/kernel'
import { type Condition, Increment, type Row, type Transaction } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import type { Resource } from '../model/resource.ts'
import { VERSION } from '../model/table.ts'
import { allOf, liveRows } from '../query/live.ts'
import type { ApplyStep, Change } from './change.ts'
import { cascadedChange } from './cascade.ts'
import { type Dependent, type Dependents, goesAlong } from './dependents.ts'
import { assertLeft } from './previous.ts'
import { type Below, lockBelow, MAX_REACHED, removedAlong, restoredAlong } from './lock.ts'

/** After so many the requests of others get their turn: a store may do its work without ever waiting. */
const SLICE = 100

/** The steps of every record that is written along with another, after it was read. */
export interface CompanionSteps {
  /** `release` lets go of what refers to the record. */
  remove(release: ApplyStep): readonly ApplyStep[]
  readonly empty: readonly ApplyStep[]
  /** `follow` brings back what was deleted along with the record. */
  restore(follow: ApplyStep): readonly ApplyStep[]
  /** Begins a change that goes along with another. */
  join(change: Change, cause: Change): void
  /** Tells the bus of a change that is committed. */
  announce(change: Change): void
}

/** Deletions and restorations with all that they bring about. */
export interface Deletions {
  readonly remove: ApplyStep
  readonly restore: ApplyStep
  /** Does the same for an account that is about to be removed; each cause is a change of the dependent's resource, with the account's key. */
  releaseAccount(causes: ReadonlyMap<Dependent, Change>, transaction: Transaction): Promise<void>
}

/**
 * Deletes and restores a record together with those that refer to it, as their `onDelete` says: each by the whole
 * write path. The database's own rules stand behind that, for whatever writes past the service.
 */
export function createDeletion(
  dependents: ReadonlyMap<string, Dependents>,
  steps: CompanionSteps,
): Deletions {
  return {
    releaseAccount: (causes, transaction) =>
      new Deletion(dependents, steps, transaction).releaseAccount(causes),
    remove: (change, transaction) => new Deletion(dependents, steps, transaction).remove(change),
    restore: (change, transaction) => new Deletion(dependents, steps, transaction).restore(change),
  }
}

/** One deletion or restoration with all that it brings about, inside one transaction. */
class Deletion {
  readonly #dependents: ReadonlyMap<string, Dependents>
  readonly #steps: CompanionSteps
  readonly #transaction: Transaction
  /** The keys of the records that are on their way, by their resource: a circle comes back to one of them. */
  readonly #reached = new Map<Resource, Set<unknown>>()
  #count = 0
  /** Whether what is written now lies below records whose whole descent is held. */
  #isHeld = false

  constructor(dependents: ReadonlyMap<string, Dependents>, steps: CompanionSteps, transaction: Transaction) {
    this.#dependents = dependents
    this.#steps = steps
    this.#transaction = transaction
  }

  /** What keeps the record refuses by itself, before the steps of blocks are asked about its deletion. */
  async remove(change: Change): Promise<void> {
    this.#reach(change)
    for (const child of this.#dependentsOf(change).children)
      if (child.onDelete === 'restrict') await this.#refuseIfAny(child, change)
    await this.#run(
      this.#steps.remove((one) => this.#release(one)),
      change,
    )
  }

  restore(change: Change): Promise<void> {
    this.#reach(change)
    return this.#run(
      this.#steps.restore((one) => this.#follow(one)),
      change,
    )
  }

  async releaseAccount(causes: ReadonlyMap<Dependent, Change>): Promise<void> {
    const of = (onDelete: Dependent['onDelete']) =>
      [...causes].filter(([child]) => child.onDelete === onDelete)
    for (const [child, cause] of of('restrict')) await this.#refuseIfAny(child, cause, 'account')
    for (const [child, cause] of of('cascade')) await this.#removeAll(child, cause)
    for (const [child, cause] of of('nullify')) await this.#emptyAll(child, cause)
    for (const [child, cause] of causes) await this.#forget(child, cause)
  }

  async #release(change: Change): Promise<void> {
    const { children, links } = this.#dependentsOf(change)
    const of = (onDelete: Dependent['onDelete']) => children.filter((child) => child.onDelete === onDelete)
    for (const child of of('cascade')) await this.#removeAll(child, change)
    for (const child of of('nullify')) await this.#emptyAll(child, change)
    if (change.resource.features.softDelete) return
    for (const child of children) await this.#forget(child, change)
    for (const { table, column } of links)
      await this.#transaction.remove({ table, where: { op: 'eq', column, value: change.key! } })
  }

  async #refuseIfAny(child: Dependent, change: Change, what = change.resource.name): Promise<void> {
    const onTheirWay = this.#reached.get(child.resource)?.size ?? 0
    const found = await this.#children(child, change, liveRows(child.resource), onTheirWay + 1)
    if (found.length === 0) return
    throw domainErrors.REFERENCED({
      message: `Other records refer to this ${what}: delete those first`,
    })
  }

  async #removeAll(child: Dependent, cause: Change): Promise<void> {
    if (!goesAlong(child, cause.resource)) return
    await this.#each(child, cause, liveRows(child.resource), removedAlong, (row) =>
      this.#along(cause, cascadedChange(cause, 'delete', child.resource, row), (one) => this.remove(one)),
    )
  }

  async #emptyAll(child: Dependent, cause: Change): Promise<void> {
    await this.#each(child, cause, liveRows(child.resource), undefined, (row) => {
      const change = cascadedChange(cause, 'update', child.resource, row)
      change.values[child.column.name] = null
      this.#count += 1
      return this.#along(cause, change, (one) => this.#run(this.#steps.empty, one))
    })
  }

  /** What was deleted along with the record has its very moment of deletion. */
  async #follow(cause: Change): Promise<void> {
    const at = cause.previous?.['deletedAt'] ?? null
    if (at === null) return
    for (const child of this.#dependentsOf(cause).children) {
      const { resource, onDelete } = child
      const column = resource.fields.get('deletedAt')?.column
      if (column === undefined || onDelete !== 'cascade' || !resource.features.softDelete) continue
      await this.#each(child, cause, [{ op: 'eq', column, value: at }], restoredAlong(at), (row) =>
        this.#along(cause, cascadedChange(cause, 'restore', resource, row), (one) => this.restore(one)),
      )
    }
  }

  /** Deleted records hold no key of a record that is gone for good; one whose own key it is goes with it. */
  async #forget({ resource, column }: Dependent, { key }: Change): Promise<void> {
    if (!resource.features.softDelete || !column.nullable) return
    const where = allOf([
      { op: 'eq', column, value: key! },
      { op: 'not', of: allOf(liveRows(resource)) },
    ])
    const set = { [column.name]: null, [VERSION.name]: new Increment(1) }
    await this.#transaction.update({ table: resource.table, set, where })
  }

  async #along(cause: Change, change: Change, write: (change: Change) => Promise<void>): Promise<void> {
    if (this.#count % SLICE === 0) await aside()
    this.#steps.join(change, cause)
    const restricted = assertLeft(change, this.#transaction)
    if (restricted !== undefined) await restricted
    await write(change)
    cause.afterCommit.push(() => this.#steps.announce(change))
  }

  /**
   * Writes the records that refer to the one of `cause`, each once: one may have gone along with another meanwhile. What
   * goes along with them in turn, as `follow` says, is held before the first is written.
   */
  async #each(
    child: Dependent,
    cause: Change,
    where: readonly Condition[],
    follow: Below['follow'] | undefined,
    write: (row: Row) => Promise<void>,
  ): Promise<void> {
    const rows = await this.#children(child, cause, where, MAX_REACHED + 1)
    if (this.#count + rows.length > MAX_REACHED) throw tooMany()
    const isOutermost = follow !== undefined && !this.#isHeld
    if (isOutermost) {
      this.#isHeld = true
      await lockBelow(child.resource, keysOf(rows, child), {
        dependents: this.#dependents,
        follow,
        transaction: this.#transaction,
      })
    }
    for (const row of rows) if (!this.#isReached(child, row)) await write(row)
    if (isOutermost) this.#isHeld = false
  }

  /** Records that refer to the one of `cause`, held against other writers; those on their way are left out. */
  async #children(
    child: Dependent,
    { key }: Change,
    where: readonly Condition[],
    limit: number,
  ): Promise<readonly Row[]> {
    const { column, resource } = child
    const rows = await this.#transaction.select({
      table: resource.table,
      columns: resource.columns,
      where: allOf([{ op: 'eq', column, value: key! }, ...where]),
      order: [{ column: resource.key.column!, descending: false }],
      limit,
      lock: true,
    })
    return rows.filter((row) => !this.#isReached(child, row))
  }

  #isReached({ resource }: Dependent, row: Row): boolean {
    return this.#reached.get(resource)?.has(row[resource.key.name]) ?? false
  }

  #reach({ resource, key }: Change): void {
    const keys = this.#reached.get(resource) ?? new Set()
    this.#reached.set(resource, keys.add(key))
    this.#count += 1
  }

  #dependentsOf({ resource }: Change): Dependents {
    return this.#dependents.get(resource.name)!
  }

  async #run(steps: readonly ApplyStep[], change: Change): Promise<void> {
    for (const step of steps) {
      const pending = step(change, this.#transaction)
      if (pending !== undefined) await pending
    }
  }
}

const keysOf = (rows: readonly Row[], { resource: { key } }: Dependent) =>
  rows.map((row) => row[key.name] ?? null).filter((value) => value !== null)

const tooMany = () =>
  errors.CONFLICT({
    message: `More than ${MAX_REACHED} records would go with this one: delete some of those first`,
  })
