import type { Caller } from '@svc/kernel'
import type { Column } from '@svc/store/contract'
import type { ComputedField, Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { AUTHENTICATED, PUBLIC } from './verdict.ts'

/** Which fields of a resource a caller of certain roles may see and write. */
export interface FieldAccess {
  /** Fields that answers show unless others are asked for. */
  readonly shown: readonly Field[]
  readonly readable: ReadonlyMap<string, Field>
  readonly selectable: ReadonlyMap<string, Field>
  readonly masked: ReadonlySet<string>
  /** Formulas worked out on every read, each after those that it reads. */
  readonly formulas: readonly ComputedField[]
  writable(field: Field): boolean
  /** The columns behind `fields`: their own, and those that their formulas may read. */
  columns(fields: readonly Field[]): readonly Column[]
}

/** Field rules ask for roles alone, so callers of the same roles share one answer. */
const remembered = new WeakMap<Resource, Map<string, FieldAccess>>()
const MAX_REMEMBERED = 1000

export function fieldAccess(resource: Resource, caller: Caller): FieldAccess {
  const key = caller.kind === 'user' ? caller.roles.join('\n') : `\0${caller.kind}`
  const known = remembered.get(resource) ?? new Map<string, FieldAccess>()
  const found = known.get(key)
  if (found) return found
  if (known.size >= MAX_REMEMBERED) known.clear()
  const made = build(resource, caller)
  remembered.set(resource, known.set(key, made))
  return made
}

function build(resource: Resource, caller: Caller): FieldAccess {
  const rules = resource.permissions.fields ?? {}
  const passes = (roles: readonly string[] | undefined) => roles === undefined || holds(roles, caller)
  const all = [...resource.fields.values()].filter((field) => field.compiled.type.readable)
  const isOpen = ({ name, hidden, requestable }: Field) =>
    passes(rules[name]?.read) && (!hidden || requestable)
  const isMasked = ({ name }: Field) => !passes(rules[name]?.read) && rules[name]?.mask === true
  const visible = all.filter((field) => isOpen(field) || isMasked(field))
  const readable = byName(all.filter(isOpen))
  const shown = visible.filter((field) => !field.hidden)
  const masked = new Set(visible.filter(isMasked).map(({ name }) => name))
  const columns = remember((fields) => columnsOf(fields, readable))
  return {
    shown,
    readable,
    selectable: byName(visible),
    masked,
    formulas: resource.computed.filter((field) => !field.computed.stored && readable.has(field.name)),
    writable: (field) => passes(rules[field.name]?.write),
    columns,
  }
}

const byName = (fields: readonly Field[]) => new Map(fields.map((field) => [field.name, field]))

/** The shown fields are asked about with every list. */
function remember(work: (fields: readonly Field[]) => readonly Column[]): typeof work {
  const known = new WeakMap<readonly Field[], readonly Column[]>()
  return (fields) => {
    const found = known.get(fields)
    if (found) return found
    const made = work(fields)
    known.set(fields, made)
    return made
  }
}

/** A formula reads what the caller may read, and nothing else. */
function columnsOf(fields: Iterable<Field>, readable: ReadonlyMap<string, Field>): readonly Column[] {
  const columns = new Set<Column>()
  const seen = new Set<Field>()
  const visit = (field: Field | undefined) => {
    if (field === undefined || seen.has(field) || !readable.has(field.name)) return
    seen.add(field)
    if (field.column) columns.add(field.column)
    else for (const name of field.computed?.expression.fields ?? []) visit(readable.get(name))
  }
  for (const field of fields) visit(field)
  return [...columns]
}

function holds(roles: readonly string[], { kind, roles: own }: Caller): boolean {
  if (kind === 'system' || roles.includes(PUBLIC)) return true
  return roles.some((role) => (role === AUTHENTICATED ? kind === 'user' : own.includes(role)))
}
