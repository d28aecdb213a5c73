import { type Expression, ExpressionError, type Kind, kindOfColumn } from '@svc/expression/contract'
import type { Column, Row } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import { isBase, isComputed } from '../model/computed.ts'
import { maxDepthOf, overrideName } from '../model/override.ts'
import { compiledOverride, compileOverride } from '../present/overrides.ts'
import type { Change } from './change.ts'

/** Judges the formulas that a write gives a record for its computed fields; nothing is asked of any other write. */
export function judgeOverrides(change: Change): void {
  const { resource, values, previous } = change
  for (const field of resource.overrides) {
    const source = values[field.name] ?? null
    if (source === null || source === (previous?.[field.name] ?? null)) continue
    const message = faultIn(String(source), field, change)
    if (message !== undefined) change.faults.push({ field: field.name, rule: 'expression', message })
  }
}

function faultIn(source: string, { overrides = '' }: Field, change: Change): string | undefined {
  const { resource } = change
  const expression = compiledOrFault(source, change)
  if (typeof expression === 'string') return expression
  const unread = [...expression.fields].find((name) => !mayName(name, change))
  if (unread !== undefined) return `'${resource.name}' has no field '${unread}'`
  const { compiled } = resource.fields.get(overrides)!
  const kind = kindFault(expression, compiled.type.column, `'${overrides}'`)
  return kind ?? chainFault(overrides, change)
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

/** A circle among the formulas of the record, or a chain that is too long. */
function chainFault(name: string, change: Change): string | undefined {
  const record: Row = { ...change.previous, ...change.values }
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
    const reads = readsOf(one, record, change)
    if (reads === undefined) return 0
    path.push(one)
    const depth = 1 + Math.max(0, ...[...reads].map(depthOf))
    path.pop()
    depths.set(one, depth)
    return depth
  }
  const depth = Math.max(0, ...change.resource.computed.map((field) => depthOf(field.name)))
  if (circle) return `The formulas read each other in a circle: ${circle.join(' → ')}`
  const most = maxDepthOf(change.resource.definition)
  return depth > most
    ? `With this, ${depth} computed fields read each other in a chain ('${name}' among them), and ${most} may`
    : undefined
}

/** What a computed field reads in a record; undefined of any other field. */
function readsOf(name: string, record: Row, { resource }: Change): Iterable<string> | undefined {
  const { computed } = resource.fields.get(name) ?? {}
  if (computed === undefined) return undefined
  const own = computed.overridable ? (record[overrideName(name)] ?? null) : null
  return own === null ? computed.declared : (compiledOverride(String(own), resource)?.fields ?? [])
}
