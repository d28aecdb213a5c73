import { type Expression, ExpressionError } from '@svc/expression/contract'
import type { Access } from '../access/access.ts'
import type { SheetColumn } from '../contract/columns.ts'
import type { FieldDefinition } from '../definition/schema/field.ts'
import { domainErrors } from '../errors.ts'
import type { Graph } from '../crossing/graph.ts'
import type { FieldTypes } from '../fields/index.ts'
import { isBase } from '../model/computed.ts'
import { maxDepthOf } from '../model/override.ts'
import type { Resource } from '../model/resource.ts'
import { compileOverride, sealedFault } from '../present/overrides.ts'
import type { Fault } from '../speech/speech.ts'
import { kindFault, unseenIn } from '../write/overrides.ts'
import { malformed, type Reading } from '../write/refuse.ts'
import { namesField, type Renaming, withRenamed } from './renaming.ts'

interface Judged {
  readonly definition: FieldDefinition
  readonly resource: Resource
  readonly types: FieldTypes
  /** The rights of whoever adds the column. */
  readonly access: Access
  /** What formulas read of each other, where they may look into other records. */
  readonly graph: Graph | undefined
}

/** The formula of a column; undefined of one that holds what is sent. */
export const formulaOfColumn = ({ computed }: FieldDefinition): string | undefined =>
  typeof computed === 'object' ? computed.expression : computed

/** What is wrong with the formula of a new column, which nothing reads yet. */
export function formulaFaults(judged: Judged): readonly Fault[] {
  const source = formulaOfColumn(judged.definition)
  if (source === undefined) return []
  const message = faultIn(source, judged)
  return message === undefined ? [] : [{ field: 'expression', rule: 'expression', message }]
}

function faultIn(source: string, { definition, resource, types, access, graph }: Judged): string | undefined {
  const expression = compiledOrFault(source, resource)
  if (typeof expression === 'string') return expression
  const read = [...expression.fields]
  const unread = read.find((name) => !mayName(name, resource, access))
  if (unread !== undefined) return `'${resource.name}' has no field '${unread}'`
  const unseen = sealedFault(expression, resource) ?? unseenIn(expression, resource, access)
  if (unseen !== undefined) return unseen
  const { column } = types.find(definition.type ?? '')!
  return kindFault(expression, column, 'the column') ?? depthFault(expression, resource, graph)
}

/** It knows no caller, and reaches no related records. */
function compiledOrFault(source: string, resource: Resource): Expression | string {
  try {
    return compileOverride(source, resource)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return error.message
  }
}

function mayName(name: string, { fields }: Resource, access: Access): boolean {
  const field = fields.get(name)
  if (field === undefined || !(field.computed !== undefined || isBase(field))) return false
  return access.caller.kind === 'system' || access.visible(name) !== undefined
}

function depthFault(
  expression: Expression,
  { definition, fields }: Resource,
  graph: Graph | undefined,
): string | undefined {
  const known = new Map<string, number>()
  const depthOf = (name: string): number => {
    const { computed } = fields.get(name) ?? {}
    if (computed === undefined) return 0
    const depth = known.get(name) ?? 1 + deepest(computed.declared)
    known.set(name, depth)
    return depth
  }
  const deepest = (names: Iterable<string>): number => Math.max(0, ...[...names].map(depthOf))
  const across = expression.crossings.flatMap(({ resource, reads }) =>
    [...reads].map((name) => graph?.unitOf(resource, name)?.depth ?? 0),
  )
  const [depth, most] = [1 + Math.max(deepest(expression.fields), ...across), maxDepthOf(definition)]
  return depth > most
    ? `With this, ${depth} computed fields read each other in a chain, and ${most} may`
    : undefined
}

/** Throws REFERENCED where formulas of other columns read one that is about to go. */
export function assertUnreadByColumns(column: SheetColumn, columns: readonly SheetColumn[]): void {
  const reading = columns.filter(({ resource, definition }) => {
    const source = formulaOfColumn(definition)
    return source !== undefined && namesField(source, resource, column.resource, column.name)
  })
  if (reading.length === 0) return
  const names = reading
    .map(({ resource, name }) => (resource === column.resource ? `'${name}'` : `'${resource}.${name}'`))
    .join(', ')
  throw domainErrors.REFERENCED({
    message: `'${column.name}' is read by the ${reading.length === 1 ? 'column' : 'columns'} ${names}: delete ${reading.length === 1 ? 'that' : 'those'} first`,
  })
}

/** The column with another name of one in its formula. Throws VALIDATION_ERROR where the formula cannot follow. */
export function carriedInto(column: SheetColumn, renaming: Renaming, reading: Reading): SheetColumn {
  const source = formulaOfColumn(column.definition)
  if (source === undefined) return column
  const expression = carriedFormula(source, column, renaming, reading)
  if (expression === source) return column
  return { ...column, definition: { ...column.definition, computed: { expression, stored: true } } }
}

/** A formula of a resource, for what `name` says, with another name of a column. Throws VALIDATION_ERROR where it cannot follow. */
export function carriedFormula(
  source: string,
  { resource: of, name }: { readonly resource: string; readonly name: string },
  renaming: Renaming,
  reading: Reading,
): string {
  try {
    return withRenamed(source, of, renaming)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    const what = of === renaming.resource ? name : `${of}.${name}`
    const message = `The formula '${what}' cannot follow to this name: ${error.message}`
    throw malformed(reading, [{ field: 'name', rule: 'expression', message }])
  }
}
