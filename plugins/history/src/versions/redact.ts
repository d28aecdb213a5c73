import type { Kept } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import { rewriteEntries } from '../redact.ts'
import { renamed } from '../readable.ts'
import { sealingOf } from '../sealed.ts'
import { type VersionLedger, DATA } from './ledger.ts'

/** Versions hold what stands in place of erased values; what was null stays so. */
export const redactVersions =
  (ledger: VersionLedger): NonNullable<Kept['redact']> =>
  async (erasure, writes) => {
    const { resource } = erasure
    const names = renamed(resource)
    await rewriteEntries(ledger, erasure, writes, (row, { key, values }) => {
      const before = Object.entries(row[DATA.name] ?? {})
      const isErased = (as: string, value: Value) =>
        value !== null && Object.hasOwn(values, names.get(as) ?? as)
      if (!before.some(([as, value]) => isErased(as, value))) return undefined
      const { seal } = sealingOf(key, resource, ledger.model)
      const left = before.map(([as, value]): readonly [string, Value] => {
        const name = names.get(as) ?? as
        return [as, isErased(as, value) ? seal(name, values[name] ?? null, as) : value]
      })
      return { [DATA.name]: Object.fromEntries(left) } satisfies Row
    })
  }
