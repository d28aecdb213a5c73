import { batches, type Change, type Field, type Move, type Resource, type Writes } from '@svc/domain/contract'
import type { Condition, Row, Transaction } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import { HOLDING, type Tables } from '../tables.ts'
import { BY_LEFT, BY_LEFT_TOO, BY_PSEUDONYM } from './find.ts'
import { canonical, hashOf } from './identifier.ts'
import { lineageOf } from './records.ts'
import type { SubjectKey } from './key.ts'

/** Keeps the index of people in step with the records. */
export interface Holdings {
  readonly resources: ReadonlySet<Resource>
  concerns(change: Change): boolean
  keep(change: Change, writes: Writes): Promise<void>
  /** Whether people are found by a field. */
  holds(field: Field): boolean
  renew(moves: readonly Move[], transaction: Transaction): Promise<void>
}

export function createHoldings(privacy: Privacy, { holdings }: Tables, key: SubjectKey): Holdings {
  const { personal } = privacy
  const fields = new Map<Resource, Field[]>()
  for (const { resource, field, identifies } of personal)
    if (identifies) fields.set(resource, [...(fields.get(resource) ?? []), field])
  const all = new Set([...fields.values()].flat())

  /** Whatever a record holds now, by the fields that people are found by. */
  const rowsOf = (resource: Resource, record: Row, by: readonly Field[], secret: Uint8Array): Row[] =>
    by.flatMap((field) => {
      const value = record[field.name] ?? null
      return value === null
        ? []
        : [
            {
              hash: hashOf(canonical(field, value), secret),
              resource: resource.name,
              record: String(record[resource.key.name]),
              field: field.name,
              past: false,
            },
          ]
    })

  const past = (resource: string, record: string, names: readonly string[], writes: Transaction) =>
    writes.update({
      table: holdings,
      set: { past: true },
      where: {
        op: 'and',
        of: [
          { op: 'eq', column: HOLDING.resource, value: resource },
          { op: 'eq', column: HOLDING.recordId, value: record },
          { op: 'in', column: HOLDING.field, values: names },
        ],
      },
    })

  const changed = ({ resource, values, previous }: Change): readonly Field[] =>
    (fields.get(resource) ?? []).filter(
      ({ name }) => Object.hasOwn(values, name) && (values[name] ?? null) !== (previous?.[name] ?? null),
    )

  /** Whether a record that was there before comes to lead to somebody. */
  const isLed = ({ resource, values, previous }: Change): boolean =>
    previous !== undefined &&
    lineageOf(privacy, resource).some(({ foreignKey: name }) => {
      const value = values[name] ?? null
      return value !== null && value !== (previous[name] ?? null)
    })

  /** Whose a record is that an erase has left out, it says by itself from now on. */
  const claim = (resource: string, record: string, writes: Transaction) =>
    writes.remove({
      table: holdings,
      where: {
        op: 'and',
        of: [
          { op: 'eq', column: HOLDING.resource, value: resource },
          { op: 'eq', column: HOLDING.recordId, value: record },
          { op: 'in', column: HOLDING.field, values: [BY_LEFT, BY_LEFT_TOO] },
        ],
      },
    })

  return {
    resources: new Set(fields.keys()),
    concerns: (change) =>
      change.kind === 'delete'
        ? fields.has(change.resource) && !change.resource.features.softDelete
        : changed(change).length > 0 || isLed(change),
    async keep(change, writes) {
      const { resource, record, previous, kind } = change
      if (kind === 'delete' || record === undefined) {
        const names = (fields.get(resource) ?? []).map(({ name }) => name)
        await past(resource.name, String(change.key), names, writes)
        return
      }
      const by = changed(change)
      const rows = rowsOf(resource, record, by, await key.inside(writes))
      if (previous === undefined) {
        for (const values of rows) await writes.append({ table: holdings, values })
        return
      }
      const recordId = String(record[resource.key.name])
      if (rows.length > 0 || isLed(change)) await claim(resource.name, recordId, writes)
      const names = by.map(({ name }) => name)
      if (names.length > 0) await past(resource.name, recordId, names, writes)
      for (const values of rows) await write(values, writes)
    },
    holds: (field) => all.has(field),
    async renew(moves, transaction) {
      const secret = await key.inside(transaction)
      for (const { from, to } of moves) {
        if (from !== undefined) await leave(from, to, transaction)
        if (to === undefined) continue
        const by = fields.get(to) ?? []
        if (by.length === 0) continue
        const columns = by.flatMap(({ column }) => column ?? [])
        for await (const records of batches(to.table, columns, { op: 'always' }, transaction))
          for (const record of records)
            for (const values of rowsOf(to, record, by, secret)) await write(values, transaction)
      }
    },
  }

  /** A record may come to hold again what it held once. */
  async function write(values: Row, transaction: Transaction): Promise<void> {
    const added = await transaction.insert({ table: holdings, values, onConflict: 'ignore' })
    if (added > 0) return
    const of = [HOLDING.hash, HOLDING.resource, HOLDING.recordId, HOLDING.field].map((column) => ({
      op: 'eq' as const,
      column,
      value: String(values[column.name]),
    }))
    await transaction.update({ table: holdings, set: { past: false }, where: { op: 'and', of } })
  }

  /**
   * What records held before a change of the definition belongs to the past; under a new name it is the same records. By the
   * pseudonyms that were given to them people are found as before, and so is what an erase has left out.
   */
  async function leave(from: Resource, to: Resource | undefined, transaction: Transaction): Promise<void> {
    const lines: Condition = { op: 'eq', column: HOLDING.resource, value: from.name }
    const given: Condition = {
      op: 'in',
      column: HOLDING.field,
      values: [BY_PSEUDONYM, BY_LEFT, BY_LEFT_TOO],
    }
    const where: Condition = to ? { op: 'and', of: [lines, { op: 'not', of: given }] } : lines
    await transaction.update({ table: holdings, set: { past: true }, where })
    if (to === undefined || to.name === from.name) return
    await transaction.update({ table: holdings, set: { resource: to.name }, where: lines })
  }
}
