import type { Kept } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import { renamed } from '../readable.ts'
import { rewriteEntries } from '../redact.ts'
import type { AuditLedger } from './ledger.ts'

/** Both sides of erased fields are null, and one more entry says of which: those that the record has lost, or an entry had. */
export const redactAudit =
  (ledger: AuditLedger): NonNullable<Kept['redact']> =>
  async (erasure, writes) => {
    const { records, caller, at, newId } = erasure
    const names = renamed(erasure.resource)
    const found = new Map<string, Set<string>>()
    await rewriteEntries(ledger, erasure, writes, ({ changes }, { key, values }) => {
      const before = Object.entries(changes ?? {})
      const nameOf = (as: string) => names.get(as) ?? as
      const erased = before.filter(
        ([as, sides]) => Object.hasOwn(values, nameOf(as)) && !isWithoutValues(sides),
      )
      if (erased.length === 0) return undefined
      const known = found.get(String(key)) ?? new Set<string>()
      found.set(String(key), known)
      for (const [as] of erased) known.add(nameOf(as))
      const left = before.map((one) => (erased.includes(one) ? [one[0], withoutValues(one[1])] : one))
      return { changes: Object.fromEntries(left) }
    })
    const rows = records.flatMap(({ key, values, lost }): readonly Row[] => {
      const had = found.get(String(key))
      const fields = Object.keys(values).filter(
        (name) => lost?.has(name) !== false || had?.has(name) === true,
      )
      // Of a record that has lost nothing there is nothing to say where no entry had anything either.
      if (lost !== undefined && fields.length === 0) return []
      const changes = { _action: 'erase', fields }
      const entry = { id: newId(), recordId: key, timestamp: at, action: 'update', changes }
      return [{ ...entry, userId: caller.id, username: caller.username }]
    })
    await writes.insertRows({ table: ledger.table, rows })
  }

/** Both sides of a change, and that they are erased. */
export const withoutValues = (sides: Value): Row => ({
  ...Object.fromEntries(Object.keys(sides ?? {}).map((side) => [side, null])),
  erased: true,
})

const isWithoutValues = (sides: Value): boolean =>
  typeof sides === 'object' && sides !== null && 'erased' in sides
