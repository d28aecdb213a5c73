import type { LedgerReader } from '@svc/automation/contract'
import type { Row } from '@svc/store/contract'
import { saidIn } from '../outbox/present.ts'
import type { Said } from '../texts/words.ts'

/** The words of a message for one who looks at the ledger. */
export function shownTo(row: Row, { data }: LedgerReader): Said {
  return saidIn(row, data.model)
}
