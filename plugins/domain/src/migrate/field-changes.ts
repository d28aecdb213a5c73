import type { Column, Table } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import type { StateMachine } from '../model/state-machine.ts'
import { mustHold } from '../model/writing.ts'
import type { Concern } from './concern.ts'
import { insteadIn, readAs } from './convert.ts'
import { compareFields, type FieldChange } from './narrowing.ts'
import type { Pair, ResourcePair } from './pairs.ts'
import type { SchemaWalk } from './schema.ts'
import { sharedDoubts } from './shared.ts'
import { keepStates, stateDoubts, statesIn } from './states.ts'
import type { MigrationStep, Rewrite } from './step.ts'
import { columnOf, isKeptAlike, type TablePair } from './tables.ts'

/** The steps that bring the fields that both models have, and the values in them, from the one to the other. */
export function changeFields(pair: TablePair, walk: SchemaWalk): readonly MigrationStep[] {
  const { resource } = pair
  if (resource === undefined) return []
  return resource.fields.kept.flatMap((fields): readonly MigrationStep[] => {
    const before = columnOf(pair.from, fields.from.name)
    const column = columnOf(pair.to, fields.to.name)
    if (!pair.columns.has(fields.from.name) || !before || !column) return []
    const step = { pair, field: fields.to, former: fields.from, before, column, walk }
    const compared = compareFields(fields.from, fields.to)
    const [had, has] = [statesIn(fields.from, resource.from), statesIn(fields.to, resource.to)]
    const ofOthers = [...sharedDoubts(fields.to, resource.shared), ...stateDoubts(had, has)]
    const change = { ...compared, doubts: [...compared.doubts, ...ofOthers] }
    const checked = isKeptAlike(before, column) ? checkColumn(step, change) : [convertColumn(step, change)]
    const begun = has && !had ? [begin(step, has)] : []
    const required = becomesRequired(fields, resource) ? [requireValues(step)] : []
    return [...checked, ...begun, ...required, ...raiseCounters(step)]
  })
}

/** Whether records have to have a value now, by the field's own word or that of a relationship. */
const becomesRequired = (fields: Pair<Field>, { from, to }: ResourcePair): boolean =>
  fields.to.computed === undefined && mustHold(fields.to, to) && !mustHold(fields.from, from)

interface FieldStep {
  readonly pair: TablePair
  readonly field: Field
  readonly former: Field
  /** The column as it was, and as it is to be. */
  readonly before: Column
  readonly column: Column
  readonly walk: SchemaWalk
}

/** The rows of a field whose stored values are concerned. */
const concernOf = ({ pair, field, former, before }: FieldStep, which: Concern['which']): Concern => ({
  table: pair.from,
  column: before,
  which,
  ...(pair.resource && {
    of: [
      { resource: pair.resource.from, field: former },
      { resource: pair.resource.to, field },
    ],
  }),
})

const holdsKey = ({ name, primaryKey }: Field, { relationships }: Resource): boolean =>
  primaryKey || [...relationships.values()].some((one) => one.kind === 'belongsTo' && one.foreignKey === name)

/** What narrowing a field makes of its values, and whether one may be left without any. */
function narrowing(step: FieldStep) {
  const { pair, field } = step
  const must = pair.resource !== undefined && mustHold(field, pair.resource.to)
  // A key that comes near another is no key of the same record.
  const isKey = pair.resource !== undefined && holdsKey(field, pair.resource.to)
  const read = readAs(field, isKey ? 'null' : insteadIn(field, !must))
  const states = pair.resource && statesIn(field, pair.resource.to)
  const convert = states === undefined ? read : keepStates(states, read)
  const held = must ? { mustHold: true as const } : {}
  const concern = { ...concernOf(step, convert), ...(must && { mustHold: field.name }) }
  const nearest = (field.default ?? null) === null ? 'the nearest that do' : JSON.stringify(field.default)
  return {
    convert,
    held,
    concern,
    instead: states === undefined ? (must ? nearest : 'null') : JSON.stringify(states.initial),
  }
}

/** The values move through a second column, so that every store converts them alike. */
function convertColumn(step: FieldStep, change: FieldChange): MigrationStep {
  const { pair, field, former, before, column, walk } = step
  const { to, label } = pair
  const { convert, held, concern, instead } = narrowing(step)
  const old = { ...before, name: column.name }
  const fresh = { ...column, name: freeName(walk.table(to.name)) }
  const added = walk.addColumn(to.name, fresh)
  const table = walk.table(to.name)
  const narrowed = [...change.narrows, ...change.doubts]
  return {
    ...changeOf(step),
    table: to.name,
    column: column.name,
    ...(narrowed.length > 0 && { loss: lossOf(label, field, narrowed, instead), concern }),
    work: [
      added,
      {
        kind: 'rewrite',
        table,
        from: old,
        to: fresh,
        convert,
        back: readAs(former, insteadIn(former, !former.required)),
        ...held,
      },
      walk.dropColumn(to.name, old),
      walk.renameColumn(to.name, fresh, column.name),
    ],
  }
}

/** What the step is called: values that are sealed or no longer are stay the same. */
function changeOf({
  pair,
  field,
  former,
  before,
  column,
}: FieldStep): Pick<MigrationStep, 'kind' | 'message'> {
  const [was, is] = [former.compiled.type.name, field.compiled.type.name]
  const about = `${pair.label}: '${column.name}'`
  if (before.kind !== column.kind || was !== is)
    return { kind: 'changeColumn', message: `${about} changes from ${was} to ${is}` }
  if (before.codec && column.codec) return { kind: 'encryptColumn', message: `${about} is sealed anew` }
  return column.codec === undefined
    ? { kind: 'decryptColumn', message: `${about} is no longer kept sealed` }
    : { kind: 'encryptColumn', message: `${about} is kept sealed from now on` }
}

function checkColumn(step: FieldStep, change: FieldChange): readonly MigrationStep[] {
  const { pair, field, before, column, walk } = step
  const { from, to, label } = pair
  const narrowed = [...change.narrows, ...change.doubts]
  if (narrowed.length === 0) return []
  const { convert, held, concern, instead } = narrowing(step)
  const doubt: Rewrite = { kind: 'rewrite', table: from, from: before, to: before, convert }
  return [
    {
      kind: 'checkColumn',
      table: to.name,
      column: column.name,
      message: `${label}: '${column.name}' ${narrowed.join(', ')}`,
      loss: lossOf(label, field, narrowed, instead),
      concern,
      ...(change.narrows.length === 0 && { doubt }),
      work: [{ kind: 'rewrite', table: walk.table(to.name), from: column, to: column, convert, ...held }],
    },
  ]
}

/** Where a field gets states, records without a value are at the beginning. */
function begin(
  { pair: { to, label }, column, walk }: FieldStep,
  { initial: value }: StateMachine,
): MigrationStep {
  return {
    kind: 'fillColumn',
    table: to.name,
    column: column.name,
    message: `${label}: '${column.name}' holds states: records without a value get ${JSON.stringify(value)}`,
    work: [{ kind: 'fill', table: walk.table(to.name), column, value }],
  }
}

/** A field that is numbered again goes on past what was written meanwhile. */
function raiseCounters({ pair, field, former, before, column }: FieldStep): readonly MigrationStep[] {
  const [was, is] = [former.compiled.type.generated, field.compiled.type.generated]
  if (was === is) return []
  const [from, to] = [
    was ? { table: pair.from, column: before } : undefined,
    is ? { table: pair.to, column } : undefined,
  ]
  const told = is ? 'is numbered by the service from now on' : 'is no longer numbered by the service'
  return [
    {
      kind: 'numberColumn',
      table: pair.to.name,
      column: column.name,
      message: `${pair.label}: '${column.name}' ${told}`,
      work: [{ kind: 'raiseCounter', to, from }],
    },
  ]
}

function requireValues(step: FieldStep): MigrationStep {
  const { pair, field, column, walk } = step
  const { to, label } = pair
  const value = (pair.resource && statesIn(field, pair.resource.to))?.initial ?? field.default
  const known = value !== undefined && value !== null
  const fate = known ? `get ${JSON.stringify(value)}` : 'stay as they are until they are written'
  const message = `${label}: '${column.name}' becomes required: records without a value ${fate}`
  return {
    kind: 'fillColumn',
    table: to.name,
    column: column.name,
    message,
    loss: message,
    concern: concernOf(step, 'empty'),
    work: known ? [{ kind: 'fill', table: walk.table(to.name), column, value }] : [],
  }
}

const lossOf = (label: string, { name }: Field, narrowed: readonly string[], instead: string): string =>
  `${label}: '${name}' ${narrowed.join(', ')}: values that do not fit become ${instead}`

/** A name for a column that is there for a moment only. */
function freeName({ columns }: Table): string {
  let name = 'svc__converted'
  while (columns.some((column) => column.name === name)) name += '_'
  return name
}
