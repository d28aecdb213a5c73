import type { Kept } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import { renamed } from '../readable.ts'
import { rewriteEntries } from '../redact.ts'
import type { AuditLedger } from './ledger.ts'

/** Both sides of erased fields are null, and one more entry says of which. */
export const redactAudit =
  (ledger: AuditLedger): NonNullable<Kept['redact']> =>
  async (erasure, writes) => {
    const { records, caller, at, newId } = erasure
    const names = renamed(erasure.resource)
    await rewriteEntries(ledger, erasure, writes, ({ changes }, { values }) => {
      const before = Object.entries(changes ?? {})
      const isErased = (as: string) => Object.hasOwn(values, names.get(as) ?? as)
      if (!before.some(([name]) => isErased(name))) return undefined
      const left = before.map(([name, sides]) => [name, isErased(name) ? withoutValues(sides) : sides])
      return { changes: Object.fromEntries(left) }
    })
    const rows = records.map(({ key, values }): Row => {
      const changes = { _action: 'erase', fields: Object.keys(values) }
      const entry = { id: newId(), recordId: key, timestamp: at, action: 'update', changes }
      return { ...entry, userId: caller.id, username: caller.username }
    })
    await writes.insertRows({ table: ledger.table, rows })
  }

const withoutValues = (sides: Value): Row => ({
  ...Object.fromEntries(Object.keys(sides ?? {}).map((side) => [side, null])),
  erased: true,
})
