import { type Expression, ExpressionError, type Kind, kindOfColumn } from '@svc/expression/contract'
import type { Column, Reader, Row } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import { formulaWith } from '../crossing/formulas.ts'
import { type Graph, tooDeep } from '../crossing/graph.ts'
import type { CrossPlan } from '../crossing/plan.ts'
import type { Field } from '../model/field.ts'
import { isBase, isComputed } from '../model/computed.ts'
import { fieldId } from '../model/formula-reads.ts'
import type { Resource } from '../model/resource.ts'
import { siblingsOf } from '../model/siblings.ts'
import { maxDepthOf, overrideName } from '../model/override.ts'
import { compiledOverride, compileOverride, sealedFault } from '../present/overrides.ts'
import type { Change } from './change.ts'

/**
 * Judges the formulas that a write gives a record for its computed fields; nothing is asked of any other write. Where formulas
 * may look into other records, `plan` says what all of them read.
 */
export const judgeOverrides =
  (plan: CrossPlan | undefined) =>
  (change: Change, reader: Reader): void | Promise<void> => {
    const { resource, values, previous } = change
    const given: Given[] = []
    for (const field of resource.overrides) {
      const source = values[field.name] ?? null
      if (source === null || source === (previous?.[field.name] ?? null)) continue
      const found = judged(String(source), field, change)
      if (typeof found === 'string') change.faults.push(faultOf(field, found))
      else given.push({ field, expression: found })
    }
    if (given.length === 0) return undefined
    return plan === undefined ? judgeWithin(given, change) : judgeAcross(given, change, plan, reader)
  }

/** A formula that a record is given, and what is in order by itself. */
interface Given {
  readonly field: Field
  readonly expression: Expression
}

const faultOf = ({ name: field }: Field, message: string) => ({ field, rule: 'expression', message })

function judgeWithin(given: readonly Given[], change: Change): void {
  for (const { field } of given) {
    const message = chainFault(field.overrides!, recordOf(change), change.resource)
    if (message !== undefined) change.faults.push(faultOf(field, message))
  }
}

async function judgeAcross(
  given: readonly Given[],
  change: Change,
  plan: CrossPlan,
  reader: Reader,
): Promise<void> {
  const { resource } = change
  const formulas = given.flatMap(({ field, expression }) => {
    const own = change.values[field.name] ?? null
    const computed = resource.fields.get(field.overrides!)!
    return own === null || !isComputed(computed)
      ? []
      : [formulaWith({ resource, field: computed, expression, own: String(own) })]
  })
  const graph = await plan.graph(reader, formulas)
  for (const { field } of given) {
    const name = field.overrides!
    const message = chainFault(name, recordOf(change), resource, graph) ?? acrossFault(name, resource, graph)
    if (message !== undefined) change.faults.push(faultOf(field, message))
  }
}

const recordOf = ({ previous, values }: Change): Row => ({ ...previous, ...values })

/** A circle that goes through other records, or a chain of others that becomes too long. */
export function acrossFault(name: string, { name: resource }: Resource, graph: Graph): string | undefined {
  const id = fieldId(resource, name)
  const unit = graph.unitOf(resource, name)
  const circle = graph.circles.find((one) =>
    unit?.fields.some((field) => one.includes(fieldId(resource, field.name))),
  )
  if (circle)
    return `The formulas read each other in a circle, across records: ${[...circle, circle[0]].join(' → ')}`
  const deep = unit && tooDeep([...graph.readersOf(unit)].filter((one) => one !== unit))
  if (deep === undefined) return undefined
  return depthFault(deep.depth, id, maxDepthOf(deep.resource.definition))
}

const depthFault = (depth: number, name: string, most: number): string =>
  `With this, ${depth} computed fields read each other in a chain ('${name}' among them), and ${most} may`

function judged(source: string, { overrides = '' }: Field, change: Change): Expression | string {
  const { resource } = change
  const expression = compiledOrFault(source, change)
  if (typeof expression === 'string') return expression
  const unread = [...expression.fields].find((name) => !mayName(name, change))
  if (unread !== undefined) return `'${resource.name}' has no field '${unread}'`
  const unseen = sealedFault(expression, resource) ?? unseenIn(expression, resource, change.access)
  if (unseen !== undefined) return unseen
  const { compiled } = resource.fields.get(overrides)!
  return kindFault(expression, compiled.type.column, `'${overrides}'`) ?? expression
}

/** What a formula looks for in other records that its writer may not list, or not read in each: they are told that it is not there. */
export function unseenIn(
  { crossings }: Expression,
  from: Resource,
  { caller, now }: Access,
): string | undefined {
  if (caller.kind === 'system') return undefined
  for (const { resource, reads } of crossings) {
    const target = siblingsOf(from).get(resource)
    const access = target && Access.of(target, caller, now)
    if (access?.listsAll([]) !== true) return `there is no resource '${resource}' to look into`
    const unread = [...reads].find((name) => access.readable(name) === undefined)
    if (unread !== undefined) return `'${resource}' has no stored field '${unread}'`
  }
  return undefined
}

function compiledOrFault(source: string, { resource }: Change): Expression | string {
  try {
    return compileOverride(source, resource)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return error.message
  }
}

/** Whoever writes a formula names what they may read, in this record. */
function mayName(name: string, { resource, access, previous, values }: Change): boolean {
  const field = resource.fields.get(name)
  if (field === undefined || field.overrides !== undefined) return false
  if (!isComputed(field) && !isBase(field)) return false
  return access.caller.kind === 'system' || access.readableIn({ ...previous, ...values }, name)
}

const OPEN: ReadonlySet<Kind> = new Set(['unknown', 'null'])

/** What is wrong with the kind of a formula's values for `what`, which holds those of a column. */
export function kindFault({ kind }: Expression, column: Column['kind'], what: string): string | undefined {
  const wanted = kindOfColumn(column)
  if (OPEN.has(kind) || OPEN.has(wanted) || kind === wanted) return undefined
  return `This gives ${kind}, and ${what} holds ${wanted}`
}

/** A circle among the formulas of the record, or a chain that is too long; `graph` says how long those of other records are. */
export function chainFault(name: string, record: Row, resource: Resource, graph?: Graph): string | undefined {
  const depths = new Map<string, number>()
  const path: string[] = []
  let circle: readonly string[] | undefined
  const depthOf = (one: string): number => {
    const known = depths.get(one)
    if (known !== undefined) return known
    if (path.includes(one)) {
      circle ??= [...path.slice(path.indexOf(one)), one]
      return 0
    }
    const reads = readsOf(one, record, resource)
    if (reads === undefined) return 0
    path.push(one)
    const across =
      graph === undefined ? [] : crossingsOf(one, record, resource).map((read) => depthIn(graph, read))
    const depth = 1 + Math.max(0, ...[...reads].map(depthOf), ...across)
    path.pop()
    depths.set(one, depth)
    return depth
  }
  const depth = Math.max(0, ...resource.computed.map((field) => depthOf(field.name)))
  if (circle) return `The formulas read each other in a circle: ${circle.join(' → ')}`
  const most = maxDepthOf(resource.definition)
  return depth > most ? depthFault(depth, name, most) : undefined
}

interface FieldRead {
  readonly resource: string
  readonly field: string
}

const depthIn = (graph: Graph, { resource, field }: FieldRead): number =>
  graph.unitOf(resource, field)?.depth ?? 0

/** What a computed field of a record reads in others. */
const crossingsOf = (name: string, record: Row, resource: Resource): readonly FieldRead[] =>
  (formulaIn(name, record, resource)?.crossings ?? []).flatMap(({ resource: other, reads }) =>
    [...reads].map((field) => ({ resource: other, field })),
  )

/** What a computed field reads in a record; undefined of any other field. */
function readsOf(name: string, record: Row, resource: Resource): Iterable<string> | undefined {
  const { computed } = resource.fields.get(name) ?? {}
  if (computed === undefined) return undefined
  return isOwn(name, record, resource) ? (formulaIn(name, record, resource)?.fields ?? []) : computed.declared
}

const isOwn = (name: string, record: Row, { fields }: Resource): boolean =>
  fields.get(name)?.computed?.overridable === true && (record[overrideName(name)] ?? null) !== null

/** The formula of a computed field that counts in a record; undefined where its own cannot be read. */
function formulaIn(name: string, record: Row, resource: Resource): Expression | undefined {
  return isOwn(name, record, resource)
    ? compiledOverride(String(record[overrideName(name)]), resource)
    : resource.fields.get(name)?.computed?.expression
}
