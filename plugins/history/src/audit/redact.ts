import type { Kept } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import { ID } from '../ledger.ts'
import { renamed } from '../readable.ts'
import { rewriteEntries } from '../redact.ts'
import type { AuditLedger } from './ledger.ts'

/** Both sides of erased fields are null, and one more entry says of which. */
export const redactAudit =
  (ledger: AuditLedger): NonNullable<Kept['redact']> =>
  async (erasure, writes) => {
    const { key, values, caller, at, newId } = erasure
    const fields = Object.keys(values)
    const names = renamed(erasure.resource)
    const isErased = (as: string) => fields.includes(names.get(as) ?? as)
    await rewriteEntries(ledger, ID, erasure, writes, ({ changes }) => {
      const before = Object.entries(changes ?? {})
      if (!before.some(([name]) => isErased(name))) return undefined
      const left = before.map(([name, sides]) => [name, isErased(name) ? withoutValues(sides) : sides])
      return { changes: Object.fromEntries(left) }
    })
    const entry = { id: newId(), recordId: key, timestamp: at, userId: caller.id, username: caller.username }
    await writes.insert({
      table: ledger.table,
      values: { ...entry, action: 'update', changes: { _action: 'erase', fields } },
    })
  }

const withoutValues = (sides: Value): Row => ({
  ...Object.fromEntries(Object.keys(sides ?? {}).map((side) => [side, null])),
  erased: true,
})
