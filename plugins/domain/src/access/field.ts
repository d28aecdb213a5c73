import type { Caller } from '@svc/kernel'
import { mergedReach, NO_REACH, type Reach, type Reached } from '@svc/expression/contract'
import type { Column } from '@svc/store/contract'
import { isComputed } from '../model/computed.ts'
import type { ComputedField, Field } from '../model/field.ts'
import { looksAcross } from '../model/override.ts'
import type { Resource } from '../model/resource.ts'
import { crossedRelation } from '../model/crossed-relation.ts'
import { crossedName } from '../model/crossed.ts'
import { readsAcross, readsEverywhere } from './across.ts'
import { holdsRole } from './roles.ts'
import { tellingFormulas } from './telling.ts'
import { OWNER } from './verdict.ts'

/** Which fields of a resource a caller of certain roles may see and write. */
export interface FieldAccess {
  /** Fields that answers show unless others are asked for. */
  readonly shown: readonly Field[]
  /** Fields that the caller may read in every record. */
  readonly readable: ReadonlyMap<string, Field>
  /** Fields that the caller may read in records of its own alone. */
  readonly readableByOwner: ReadonlyMap<string, Field>
  /** Fields that the caller sees in some record at least, and formulas that are worked out anew for it. */
  readonly visible: ReadonlyMap<string, Field>
  readonly selectable: ReadonlyMap<string, Field>
  readonly masked: ReadonlySet<string>
  /** Formulas worked out on every read, each after those that it reads. */
  readonly formulas: readonly ComputedField[]
  writable(field: Field): boolean
  /** Whether the caller may write a field in records of its own alone. */
  writableByOwner(field: Field): boolean
  /** The columns behind `fields`: their own, and those that their formulas may read. */
  columns(fields: readonly Field[]): readonly Column[]
  /** The related records that `fields` are worked out from. */
  reachOf(fields: readonly Field[]): Reach
}

/** Field rules ask for roles, and then for the owner of a record, so callers of the same roles share one answer. */
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
  const passes = (roles: readonly string[] | undefined) => roles === undefined || holdsRole(roles, caller)
  const mayOwn = caller.kind === 'user' && resource.ownerField?.column !== undefined
  const byOwner = (roles: readonly string[] | undefined) =>
    mayOwn && roles !== undefined && roles.includes(OWNER) && !holdsRole(roles, caller)
  const all = [...resource.fields.values()].filter((field) => field.compiled.type.readable)
  const isOpen = ({ name, overrides = name, hidden, requestable }: Field) =>
    passes(rules[overrides]?.read) && (!hidden || requestable)
  const isMasked = ({ name, overrides = name }: Field) =>
    !passes(rules[overrides]?.read) && rules[overrides]?.mask === true
  const isOwners = ({ name, overrides = name, hidden, requestable }: Field) =>
    byOwner(rules[overrides]?.read) && (!hidden || requestable)
  const selectable = all.filter((field) => isOpen(field) || isMasked(field) || isOwners(field))
  const open = byName(all.filter(isOpen))
  const telling =
    caller.kind === 'system'
      ? new Set<Field>()
      : tellingFormulas(resource, open, isShutAcross(resource, caller))
  const readable = byName([...open.values()].filter((field) => !telling.has(field)))
  const readableByOwner = byName(all.filter(isOwners))
  const masked = new Set(selectable.filter(isMasked).map(({ name }) => name))
  const visible = new Map([...open, ...readableByOwner])
  const isFormula = (field: ComputedField) => !field.computed.stored || telling.has(field)
  const owner = readableByOwner.size > 0 ? resource.ownerField : undefined
  const columns = remember((fields) => Object.freeze(columnsOf(fields, { visible, telling, owner })))
  const formulas = resource.computed.filter((field) => visible.has(field.name) && isFormula(field))
  const reaches = (field: ComputedField) =>
    field.computed.reach.size > 0 || (telling.has(field) && looksAcross(field.computed, resource))
  const reachOf = formulas.some(reaches)
    ? remember((fields) =>
        mergedReach([reachIn(fields, visible), acrossIn(fields, { resource, visible, telling })]),
      )
    : () => NO_REACH
  return {
    shown: selectable.filter((field) => !field.hidden),
    readable,
    readableByOwner,
    visible,
    selectable: byName(selectable),
    masked,
    formulas,
    reachOf,
    writable: ({ name, overrides = name }) => passes(rules[overrides]?.write),
    writableByOwner: ({ name, overrides = name }) => byOwner(rules[overrides]?.write),
    columns,
  }
}

const byName = (fields: readonly Field[]) => new Map(fields.map((field) => [field.name, field]))

/** The shown fields are asked about with every list. */
function remember<T extends object>(work: (fields: readonly Field[]) => T): typeof work {
  const known = new WeakMap<readonly Field[], T>()
  return (fields) => {
    const found = known.get(fields)
    if (found) return found
    const made = work(fields)
    known.set(fields, made)
    return made
  }
}

/** A formula that reads another one which the caller may not see does not reach by that. */
function reachIn(fields: readonly Field[], visible: ReadonlyMap<string, Field>): Reach {
  const found = new Map<Field, Reach>()
  const visit = (field: Field | undefined): void => {
    if (field?.computed === undefined || field.computed.reach.size === 0 || found.has(field)) return
    const { reach, fields: read } = field.computed.expression
    found.set(field, reach)
    for (const name of read) visit(visible.get(name))
  }
  for (const field of fields) visit(visible.get(field.name))
  return mergedReach([...found.values()])
}

/** Whether what a formula finds in other records is kept from callers of these roles. */
function isShutAcross(resource: Resource, caller: Caller): (field: ComputedField) => boolean {
  const isOpen = resource.others === undefined || readsEverywhere(resource, caller)
  return ({ computed }) =>
    (computed.overridable && !isOpen) || computed.crossings.some((one) => !readsAcross(one, resource, caller))
}

interface Across extends Pick<Sight, 'visible' | 'telling'> {
  readonly resource: Resource
}

/** What formulas find in other records, of those that are worked out anew for their reader. */
function acrossIn(fields: readonly Field[], { resource, visible, telling }: Across): Reach {
  const found = new Map<string, Reached>()
  const met = new Set<Field>()
  const visit = (field: Field | undefined) => {
    if (field?.computed === undefined || met.has(field)) return
    met.add(field)
    if (field.computed.stored && !telling.has(field)) return
    if (isComputed(field) && looksAcross(field.computed, resource))
      found.set(crossedName(field.name), {
        relation: crossedRelation(field.name, resource),
        fields: NO_FIELDS,
        reach: NO_REACH,
      })
    for (const name of field.computed.expression.fields) visit(visible.get(name))
  }
  for (const field of fields) visit(visible.get(field.name))
  return found
}

const NO_FIELDS: ReadonlySet<string> = new Set()

interface Sight extends Pick<FieldAccess, 'visible'> {
  readonly telling: ReadonlySet<Field>
  /** Says whose a record is, where that counts. */
  readonly owner: Field | undefined
}

/** A formula reads what the caller may read, and nothing else. */
function columnsOf(fields: Iterable<Field>, { visible, telling, owner }: Sight): readonly Column[] {
  const columns = new Set<Column>(owner?.column && [owner.column])
  const seen = new Set<Field>()
  const visit = (field: Field | undefined) => {
    if (field === undefined || seen.has(field) || !visible.has(field.name)) return
    seen.add(field)
    if (field.column && !telling.has(field)) columns.add(field.column)
    else {
      for (const name of field.computed?.expression.fields ?? []) visit(visible.get(name))
      // Its own formula may name others that are worked out.
      if (field.computed?.overridable) for (const other of visible.values()) visit(other)
    }
  }
  for (const field of fields) visit(field)
  return [...columns]
}
