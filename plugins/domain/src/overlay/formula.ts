import { compile, type Expression, ExpressionError } from '@svc/expression/contract'
import type { Access } from '../access/access.ts'
import type { SheetColumn } from '../contract/columns.ts'
import type { FieldDefinition } from '../definition/schema/field.ts'
import { domainErrors } from '../errors.ts'
import type { FieldTypes } from '../fields/index.ts'
import { isBase } from '../model/computed.ts'
import { maxDepthOf } from '../model/override.ts'
import type { Resource } from '../model/resource.ts'
import { vocabularyOf } from '../model/vocabulary.ts'
import type { Fault } from '../speech/speech.ts'
import { kindFault } from '../write/overrides.ts'
import { withName } from './carry.ts'

interface Judged {
  readonly definition: FieldDefinition
  readonly resource: Resource
  readonly types: FieldTypes
  /** The rights of whoever adds the column. */
  readonly access: Access
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

function faultIn(source: string, { definition, resource, types, access }: Judged): string | undefined {
  const expression = compiledOrFault(source, resource)
  if (typeof expression === 'string') return expression
  const read = [...expression.fields]
  const unread = read.find((name) => !mayName(name, resource, access))
  if (unread !== undefined) return `'${resource.name}' has no field '${unread}'`
  const sealed = read.find((name) => resource.fields.get(name)?.column?.codec !== undefined)
  if (sealed !== undefined) return `'${sealed}' keeps its values sealed: nothing is kept that is made of them`
  const { column } = types.find(definition.type ?? '')!
  return kindFault(expression, column, 'the column') ?? depthFault(expression, resource)
}

/** It knows no caller, and reaches no other records. */
function compiledOrFault(source: string, resource: Resource): Expression | string {
  try {
    const vocabulary = { ...vocabularyOf(resource, 'stored'), relations: undefined }
    return compile(source, { ...vocabulary, functions: resource.functions })
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

function depthFault(expression: Expression, { definition, fields }: Resource): string | undefined {
  const known = new Map<string, number>()
  const depthOf = (name: string): number => {
    const { computed } = fields.get(name) ?? {}
    if (computed === undefined) return 0
    const depth = known.get(name) ?? 1 + deepest(computed.declared)
    known.set(name, depth)
    return depth
  }
  const deepest = (names: Iterable<string>): number => Math.max(0, ...[...names].map(depthOf))
  const [depth, most] = [1 + deepest(expression.fields), maxDepthOf(definition)]
  return depth > most
    ? `With this, ${depth} computed fields read each other in a chain, and ${most} may`
    : undefined
}

/** Throws REFERENCED where formulas of other columns read one that is about to go. */
export function assertUnreadByColumns(column: SheetColumn, columns: readonly SheetColumn[]): void {
  const reading = columns.filter(
    ({ resource, definition }) =>
      resource === column.resource && readsName(formulaOfColumn(definition), column.name),
  )
  if (reading.length === 0) return
  const names = reading.map(({ name }) => `'${name}'`).join(', ')
  throw domainErrors.REFERENCED({
    message: `'${column.name}' is read by the ${reading.length === 1 ? 'column' : 'columns'} ${names}: delete ${reading.length === 1 ? 'that' : 'those'} first`,
  })
}

/** A name that no formula has. */
const NOWHERE = '_'

const readsName = (source: string | undefined, name: string): boolean =>
  source !== undefined && withName(source, name, NOWHERE) !== source

/** The column with another name of one beside it in its formula. */
export function carriedInto(column: SheetColumn, of: SheetColumn, to: string): SheetColumn {
  const source = column.resource === of.resource ? formulaOfColumn(column.definition) : undefined
  if (source === undefined) return column
  const expression = withName(source, of.name, to)
  if (expression === source) return column
  return { ...column, definition: { ...column.definition, computed: { expression, stored: true } } }
}
