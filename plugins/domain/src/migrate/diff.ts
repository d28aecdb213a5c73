import type { ForeignKey } from '@svc/store/contract'
import { isDeepStrictEqual } from 'node:util'
import type { Model } from '../model/model.ts'
import { changeColumns } from './columns.ts'
import { pairPartTables, partTables } from '../blocks/tables.ts'
import { mustHold } from '../model/writing.ts'
import { counterName } from '../write/counters.ts'
import { keepKeysOf, keepNoKeys } from './convert.ts'
import { deriveSteps } from './derive.ts'
import { followNameSteps } from './follow-names.ts'
import { type ModelPairing, pairModels, type ResourcePair } from './pairs.ts'
import { recomputeSteps } from './recompute.ts'
import { resealSteps } from './reseal.ts'
import { retraceSteps } from './retrace.ts'
import { SchemaWalk } from './schema.ts'
import type { MigrationStep, MoveCounter } from './step.ts'
import {
  columnOf,
  indexLivesOn,
  isInForce,
  keyLivesOn,
  predecessorOf,
  successorOf,
  type TablePair,
  tablePairs,
} from './tables.ts'

/** Two models on the way from one to the other. */
export interface Diff {
  readonly pairing: ModelPairing
  readonly pairs: readonly TablePair[]
  /** Those that may have changed; foreign keys alone reach into the others. */
  readonly changed: readonly TablePair[]
  readonly walk: SchemaWalk
}

/** The steps from one model to the next; all steps of a new domain where there is none yet. */
export function diffModels(from: Model | undefined, to: Model): readonly MigrationStep[] {
  const pairing = pairModels(from, to)
  const tables = from ? [...from.tables, ...partTables(from)] : []
  const pairs = tablePairs(pairing)
  const changed = pairs.filter(({ resource }) => resource?.isUnchanged !== true)
  const diff = { pairing, pairs, changed, walk: new SchemaWalk(tables) }
  return [
    ...PHASES.flatMap((phase) => phase(diff)),
    ...(from ? renamePartTables(from, to, diff) : []),
    ...(from ? followNameSteps(from, pairing) : []), // before what is found by the name
    ...(from ? resealSteps({ from, to }, pairing) : []),
    ...(from ? retraceSteps({ from, to }, pairing) : []), // in the end: it reads the records as they are to be
  ]
}

/** Tables of blocks are made when they are missing and never dropped; they follow what they belong to. */
function renamePartTables(from: Model, to: Model, { pairing, walk }: Diff): readonly MigrationStep[] {
  return pairPartTables(from, to, pairing.resources.kept).flatMap((pair): readonly MigrationStep[] => {
    const [old, now] = [pair.from.name, pair.to.name]
    if (old === now) return []
    return [
      {
        kind: 'renameTable',
        table: old,
        message: `the table '${old}' becomes '${now}'`,
        work: [
          ...pair.from.indexes.map((index) => walk.dropIndex(old, index)),
          walk.renameTable(old, now),
          ...pair.to.indexes.map((index) => walk.createIndex(now, index)),
        ],
      },
    ]
  })
}

const PHASES: readonly ((diff: Diff) => readonly MigrationStep[])[] = [
  dropIndexes, // before the columns that they stand on
  dropForeignKeys, // before the tables and columns that they lead to
  dropTables, // a new table may take the name
  rename, // so that everything below has its present name
  createTables, // before new columns refer to them
  ({ changed, walk }) => changed.flatMap((pair) => changeColumns(pair, walk)), // the values move along
  ({ pairing }) => recomputeSteps(pairing.resources.kept), // from the values as they are now
  ({ changed }) => changed.flatMap(({ resource }) => (resource ? deriveSteps(resource) : [])), // formulas included
  setForeignKeys, // once every value that they check is in place
  createIndexes, // last: filling a table is cheaper without them
]

function dropIndexes({ changed, walk }: Diff): readonly MigrationStep[] {
  return changed.flatMap((pair) =>
    pair.from.indexes
      .filter((index) => !indexLivesOn(index, pair))
      .map((index) => ({
        kind: 'dropIndex',
        table: pair.from.name,
        message: `${pair.label}: the index '${index.name}' is dropped`,
        work: [walk.dropIndex(pair.from.name, index, successorOf(index, pair))],
      })),
  )
}

function dropForeignKeys({ pairs, walk }: Diff): readonly MigrationStep[] {
  return pairs.flatMap((pair) => {
    const { name, foreignKeys } = pair.from
    const kept = foreignKeys.filter((key) => keyLivesOn(key, pair, pairs))
    if (kept.length === foreignKeys.length) return []
    return {
      kind: 'changeForeignKeys',
      table: name,
      message: `${pair.label}: foreign keys are dropped`,
      work: [walk.setForeignKeys(name, kept)],
    }
  })
}

function dropTables({ pairing, walk }: Diff): readonly MigrationStep[] {
  const resources = pairing.resources.dropped.map((resource) => ({
    label: `the resource '${resource.name}'`,
    table: resource.table,
    of: [{ resource }],
  }))
  const junctions = pairing.junctions.dropped.map((table) => ({
    label: `the junction '${table.name}'`,
    table,
    of: [],
  }))
  return [...resources, ...junctions].map(({ label, table, of }) => ({
    kind: 'dropTable',
    table: table.name,
    message: `${label} is dropped`,
    loss: `${label} is dropped with all its records`,
    concern: { table, which: 'filled', of },
    work: [walk.dropTable(table.name)],
  }))
}

function rename({ changed, walk }: Diff): readonly MigrationStep[] {
  return changed.flatMap((pair) => [...renameTable(pair, walk), ...renameColumns(pair, walk)])
}

function renameTable({ from, to, label, resource }: TablePair, walk: SchemaWalk): readonly MigrationStep[] {
  if (from.name === to.name) return []
  const counters = numbered(resource).map((name) => moveCounter(from.name, name, to.name, name))
  return [
    {
      kind: 'renameTable',
      table: from.name,
      message: `${label}: the table '${from.name}' becomes '${to.name}'`,
      work: [walk.renameTable(from.name, to.name), ...counters],
    },
  ]
}

function renameColumns(
  { to, label, columns, resource }: TablePair,
  walk: SchemaWalk,
): readonly MigrationStep[] {
  return [...columns]
    .filter(([old, now]) => old !== now)
    .map(([old, now]) => {
      const renamed = walk.renameColumn(to.name, columnOf(walk.table(to.name), old)!, now)
      const counters = numbered(resource).includes(old) ? [moveCounter(to.name, old, to.name, now)] : []
      return {
        kind: 'renameColumn',
        table: to.name,
        column: now,
        message: `${label}: '${old}' becomes '${now}'`,
        work: [renamed, ...counters],
      }
    })
}

/** The fields, under their former names, that the service numbers. */
const numbered = (resource: ResourcePair | undefined): readonly string[] =>
  [...(resource?.from.fields.values() ?? [])]
    .filter(({ compiled }) => compiled.type.generated)
    .map(({ name }) => name)

const moveCounter = (table: string, field: string, toTable: string, toField: string): MoveCounter => ({
  kind: 'moveCounter',
  from: counterName(table, field),
  to: counterName(toTable, toField),
})

function createTables({ pairing, walk }: Diff): readonly MigrationStep[] {
  const tables = [...pairing.resources.added.map(({ table }) => table), ...pairing.junctions.added]
  return tables.map((table) => ({
    kind: 'createTable',
    table: table.name,
    message: `the table '${table.name}' is created`,
    work: [walk.createTable(table)],
  }))
}

function setForeignKeys({ pairs, walk }: Diff): readonly MigrationStep[] {
  return pairs.flatMap((pair) => {
    const { name, foreignKeys } = pair.to
    const present = walk.table(name).foreignKeys
    if (isDeepStrictEqual(byName(present), byName(foreignKeys))) return []
    const fresh = foreignKeys.filter((key) => !isInForce(key, present))
    return [
      ...fresh.flatMap((key) => clearDangling(key, pair, { pairs, walk })),
      {
        kind: 'changeForeignKeys',
        table: name,
        message: `${pair.label}: ${fresh.length > 0 ? 'foreign keys are added' : 'foreign keys get other names'}`,
        work: [walk.setForeignKeys(name, foreignKeys)],
      },
    ]
  })
}

/** A key that was not enforced may lead to a record that is gone. */
function clearDangling(
  { column, references }: ForeignKey,
  pair: TablePair,
  { pairs, walk }: Pick<Diff, 'pairs' | 'walk'>,
): readonly MigrationStep[] {
  const { from, to, label, columns, resource } = pair
  const former = [...columns].find(([, now]) => now === column.name)?.[0]
  const target = pairs.find((other) => other.to.name === references.table)
  const before = former === undefined ? undefined : columnOf(from, former)
  const table = walk.table(to.name)
  if (before === undefined) return []
  const referred = walk.table(references.table)
  const convert = keepKeysOf(referred, columnOf(referred, references.column)!)
  const keepFormer = target ? keepKeysOf(target.from, target.from.primaryKey[0]!) : keepNoKeys
  const isRequired = resource !== undefined && mustHold(resource.to.fields.get(column.name)!, resource.to)
  return [
    {
      kind: 'checkColumn',
      table: to.name,
      column: column.name,
      message: `${label}: keys in '${column.name}' that lead to no record become null`,
      loss: `${label}: '${column.name}' becomes enforced: keys that lead to no record become null`,
      doubt: {
        kind: 'rewrite',
        table: from,
        from: before,
        to: before,
        convert: keepFormer,
      },
      concern: {
        table: from,
        column: before,
        which: keepFormer,
        ...(resource && { of: [{ resource: resource.from }, { resource: resource.to }] }),
        ...(isRequired && { mustHold: column.name }),
      },
      work: [
        { kind: 'rewrite', table, from: column, to: column, convert, ...(isRequired && { mustHold: true }) },
      ],
    },
  ]
}

function createIndexes({ changed, walk }: Diff): readonly MigrationStep[] {
  return changed.flatMap((pair) => {
    const { to, label } = pair
    const present = new Set(walk.table(to.name).indexes.map(({ name }) => name))
    return to.indexes
      .filter(({ name }) => !present.has(name))
      .map((index) => ({
        kind: 'createIndex',
        table: to.name,
        message: `${label}: the index '${index.name}' is created`,
        work: [walk.createIndex(to.name, index, predecessorOf(index, pair))],
      }))
  })
}

const byName = (keys: readonly ForeignKey[]): readonly ForeignKey[] =>
  keys.toSorted((a, b) => (a.name < b.name ? -1 : 1))
