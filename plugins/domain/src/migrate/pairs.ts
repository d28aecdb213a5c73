import type { Table } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { BelongsToMany } from '../model/relationship.ts'
import type { Resource } from '../model/resource.ts'
import { compareShared, type SharedChange } from './shared.ts'

/** The same thing in two models, whatever it is called in each. */
export interface Pair<T> {
  readonly from: T
  readonly to: T
}

/** A resource that both models have. */
export interface ResourcePair extends Pair<Resource> {
  readonly fields: Pairing<Field>
  /** Nothing about the resource itself has changed; what it refers to may have. */
  readonly isUnchanged: boolean
  /** What the fields share with those of other resources. */
  readonly shared: SharedChange
}

/** A table between two resources that both models have; `columns` says what its columns were called. */
export interface JunctionPair extends Pair<Table> {
  readonly columns: ReadonlyMap<string, string>
}

/** What two lists have in common, and what only one of them has. */
export interface Pairing<T, P extends Pair<T> = Pair<T>> {
  readonly kept: readonly P[]
  readonly added: readonly T[]
  readonly dropped: readonly T[]
}

export interface ModelPairing {
  readonly resources: Pairing<Resource, ResourcePair>
  readonly junctions: Pairing<Table, JunctionPair>
}

/** Finds what of `from` lives on in `to`: by name, or by the former name that `to` states. */
export function pairModels(from: Model | undefined, to: Model): ModelPairing {
  const paired = pairUp(from?.resources ?? new Map<string, Resource>(), to.resources)
  const shared = compareShared(from, to)
  const kept = paired.kept.map((pair) => ({
    ...pair,
    fields: pairUp(pair.from.fields, pair.to.fields),
    isUnchanged: !shared.isChanged && isUnchanged(pair),
    shared,
  }))
  return {
    resources: { ...paired, kept },
    junctions: pairJunctions(junctionsOf(from), junctionsOf(to), kept),
  }
}

/** Whether both say the same, in the order in which the language lists it, and have the same columns and indexes. */
function isUnchanged({ from, to }: Pair<Resource>): boolean {
  const columns = ({ table }: Resource) => table.columns.map(({ name, kind }) => `${name} ${kind}`).join()
  // What expressions of other resources go through is indexed here.
  const indexes = ({ table }: Resource) => table.indexes.map(({ name }) => name).join()
  return (
    from.table.name === to.table.name &&
    JSON.stringify(from.definition) === JSON.stringify(to.definition) &&
    columns(from) === columns(to) &&
    indexes(from) === indexes(to)
  )
}

interface Renamable {
  readonly name: string
  readonly renamedFrom: string | undefined
}

/** A former name counts only while the new one is not there yet: the hint may stay in the definition for good. */
function pairUp<T extends Renamable>(from: ReadonlyMap<string, T>, to: ReadonlyMap<string, T>): Pairing<T> {
  const former = new Map<string, string>()
  for (const { name, renamedFrom: old } of to.values()) {
    if (old !== undefined && from.has(old) && !from.has(name) && ![...former.values()].includes(old))
      former.set(name, old)
  }
  const moved = new Set(former.values())
  const originOf = ({ name }: T) => from.get(former.get(name) ?? (moved.has(name) ? '' : name))
  const kept = [...to.values()].flatMap((one) => {
    const origin = originOf(one)
    return origin ? [{ from: origin, to: one }] : []
  })
  return { kept, ...rest([...from.values()], [...to.values()], kept) }
}

interface Junction {
  readonly owner: string
  readonly relationship: BelongsToMany
}

/** Two ends may declare one table, each with an index of its own: what the model has is what the database has. */
function junctionsOf(model: Model | undefined): readonly Junction[] {
  const tables = new Map(model?.tables.map((table) => [table.name, table]))
  const shared = (relationship: BelongsToMany): BelongsToMany => ({
    ...relationship,
    junction: tables.get(relationship.junction.name) ?? relationship.junction,
  })
  return [...(model?.resources.values() ?? [])].flatMap((resource) =>
    [...resource.relationships.values()].flatMap((relationship) =>
      relationship.kind === 'belongsToMany'
        ? { owner: resource.name, relationship: shared(relationship) }
        : [],
    ),
  )
}

/** A junction lives on where a relationship of the same name still links the same two resources, or by its name. */
function pairJunctions(
  from: readonly Junction[],
  to: readonly Junction[],
  resources: readonly ResourcePair[],
): Pairing<Table, JunctionPair> {
  const newName = new Map(resources.map((pair) => [pair.from.name, pair.to.name]))
  const kept = new Map<string, JunctionPair>()
  const taken = new Set<string>()
  for (const sameName of [false, true]) {
    for (const one of to) {
      const { junction } = one.relationship
      if (kept.has(junction.name)) continue
      const origin = from.find(
        (other) =>
          !taken.has(other.relationship.junction.name) &&
          links(other, newName) === links(one) &&
          (sameName
            ? other.relationship.junction.name === junction.name
            : other.relationship.name === one.relationship.name),
      )
      if (!origin) continue
      taken.add(origin.relationship.junction.name)
      kept.set(junction.name, junctionPair(origin.relationship, one.relationship))
    }
  }
  const tables = (of: readonly Junction[]) => [
    ...new Map(of.map(({ relationship: { junction } }) => [junction.name, junction])).values(),
  ]
  const pairs = [...kept.values()]
  return { kept: pairs, ...rest(tables(from), tables(to), pairs) }
}

/** The two resources that a junction stands between, under their present names. */
function links({ owner, relationship }: Junction, newName?: ReadonlyMap<string, string>): string {
  const { target } = relationship
  const other = target.kind === 'resource' ? target.name : ''
  return [owner, other].map((name) => (newName ? newName.get(name) : name)).join(' ')
}

function junctionPair(from: BelongsToMany, to: BelongsToMany): JunctionPair {
  const columns = new Map([
    [to.foreignKey, from.foreignKey],
    [to.otherKey, from.otherKey],
  ])
  return { from: from.junction, to: to.junction, columns }
}

function rest<T extends { readonly name: string }>(
  from: readonly T[],
  to: readonly T[],
  kept: readonly Pair<T>[],
): Pick<Pairing<T>, 'added' | 'dropped'> {
  const before = new Set(kept.map((pair) => pair.from.name))
  const after = new Set(kept.map((pair) => pair.to.name))
  return {
    added: to.filter(({ name }) => !after.has(name)),
    dropped: from.filter(({ name }) => !before.has(name)),
  }
}
