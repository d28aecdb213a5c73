import type { Kept } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import { rewriteEntries } from '../redact.ts'
import { renamed } from '../readable.ts'
import { sealingOf } from '../sealed.ts'
import { type VersionLedger, DATA, VERSION } from './ledger.ts'

/** Versions hold what stands in place of erased values; what was null stays so. */
export const redactVersions =
  (ledger: VersionLedger): NonNullable<Kept['redact']> =>
  (erasure, writes) =>
    rewriteEntries(ledger, VERSION, erasure, writes, (row) => {
      const before = Object.entries(row[DATA.name] ?? {})
      const { key, resource, values } = erasure
      const { seal } = sealingOf(key, resource, ledger.model)
      const names = renamed(resource)
      const left = before.map(([as, value]): readonly [string, Value] => {
        const name = names.get(as) ?? as
        return [
          as,
          value !== null && Object.hasOwn(values, name) ? seal(name, values[name] ?? null, as) : value,
        ]
      })
      return { [DATA.name]: Object.fromEntries(left) } satisfies Row
    })
