import { isDeepStrictEqual } from 'node:util'
import type { Change, ChangeKind, Field, Former, Model, Resource } from '@svc/domain/contract'
import { column, type Column, type Row, type Table, type Transaction, type Value } from '@svc/store/contract'
import { recordIdOf, timedTable } from '../ledger.ts'
import { renamed } from '../readable.ts'
import { type Defined, mapValues, renameValues, resealing, sealingOf } from '../sealed.ts'

/** Where the audit of a resource is kept. */
export interface AuditLedger {
  readonly resource: Resource
  readonly model: Model
  readonly table: Table
  readonly recordId: Column
  /** After how many days an entry goes; undefined: never. */
  readonly days: number | undefined
  /** Puts a change on record, in its own transaction. */
  record(change: Change, transaction: Transaction): Promise<void>
}

export type AuditAction = 'create' | 'update' | 'delete'

export const USER_ID: Column = column('userId', 'text', true)
export const USERNAME: Column = column('username', 'text', true)
/** What has changed, by the names of fields. */
export const SIDES: Column = column('changes', 'json')
const COLUMNS = [column('action', 'text'), USER_ID, USERNAME, SIDES]

interface AuditOptions {
  readonly name: string
  /** The fields whose changes are kept. */
  readonly fields: readonly Field[]
  readonly days: number | undefined
}

/** Makes the audit ledger of a resource. Secrets and what is worked out on every read are left out. */
export function createAuditLedger(
  resource: Resource,
  model: Model,
  { name, fields, days }: AuditOptions,
): AuditLedger {
  const recordId = recordIdOf(resource)
  const table = timedTable(name, recordId, COLUMNS)
  const kept = fields
    .filter((field) => field.column && field.compiled.type.readable)
    .map(({ name, keptAs }): Tracked => ({ name, keptAs }))
  return {
    resource,
    model,
    table,
    recordId,
    days,
    async record(change, transaction) {
      const action = ACTIONS[change.kind] ?? 'update'
      const changes = CHANGES[action](change, kept)
      if (Object.keys(changes).length === 0) return
      const { key, at, caller, runtime } = change
      await transaction.append({
        table,
        values: {
          id: runtime.newId(),
          recordId: key!,
          timestamp: at,
          action,
          userId: caller.id,
          username: caller.username,
          changes: sealChanges(changes, key!, { resource, model }),
        },
      })
    },
  }
}

/** Every other kind of write changes a record that is there. */
const ACTIONS: Partial<Record<ChangeKind, AuditAction>> = { create: 'create', delete: 'delete' }

/** A field whose changes are kept, and what they are kept as. */
interface Tracked {
  readonly name: string
  readonly keptAs: string
}

type Changes = Readonly<Record<string, Value>>

const CHANGES: Readonly<Record<AuditAction, (change: Change, kept: readonly Tracked[]) => Changes>> = {
  create({ record }, kept) {
    const changes: Record<string, Value> = {}
    for (const { name, keptAs } of kept) {
      const to = record?.[name] ?? null
      if (to !== null) changes[keptAs] = { to }
    }
    return changes
  },
  update({ previous, record, values }, kept) {
    const changes: Record<string, Value> = {}
    for (const { name, keptAs } of kept) {
      if (!Object.hasOwn(values, name)) continue
      const [from, to] = [previous?.[name] ?? null, record?.[name] ?? null]
      if (!isDeepStrictEqual(from, to)) changes[keptAs] = { from, to }
    }
    return changes
  },
  delete: () => ({ _action: 'delete' }),
}

/** What is kept of a change of a field, `{from, to}`, or what is made of that. */
function mapSides(sides: Value, one: (value: Value) => Value): Value {
  if (typeof sides !== 'object' || sides === null || Array.isArray(sides)) return sides
  return Object.fromEntries(Object.entries(sides).map(([side, value]) => [side, one(value)]))
}

function sealChanges(changes: Changes, key: Value, { resource, model }: Defined): Changes {
  const { seal } = sealingOf(key, resource, model)
  return mapValues(changes, (name, sides) => mapSides(sides, (value) => seal(name, value)))
}

/** A change of a field as it was, which had the name `as` then. */
export function openChange(field: string, sides: Value, as: string, key: Value, of: Defined): Value {
  const { open } = sealingOf(key, of.resource, of.model)
  return mapSides(sides, (kept) => open(field, kept, as))
}

/** What an entry says of the changes, with its values opened. */
export function openEntry({ recordId = null, changes }: Row, of: Defined): Row {
  const names = renamed(of.resource)
  const kept = Object.fromEntries(Object.entries(changes ?? {}))
  return { changes: mapValues(kept, (as, sides) => openChange(names.get(as) ?? as, sides, as, recordId, of)) }
}

/** An entry as another definition keeps it. */
export function resealEntry({ recordId = null, changes }: Row, from: Former, to: Defined): Row {
  const reseal = resealing(recordId, from, to)
  const kept = Object.fromEntries(Object.entries(changes ?? {}))
  return { changes: renameValues(kept, from, (name, sides) => mapSides(sides, (one) => reseal(name, one))) }
}

/** The ledgers of the resources in force, for the sweep. */
const ledgers = new WeakMap<Resource, AuditLedger>()

export const rememberLedger = (resource: Resource, ledger: AuditLedger): void =>
  void ledgers.set(resource, ledger)

export const ledgerOf = (resource: Resource): AuditLedger | undefined => ledgers.get(resource)
