import type { Value } from '@svc/store/contract'
import type { Mentioning } from '../contract/mentions.ts'
import type { Model } from '../model/model.ts'
import { codecOf } from '../operations/idempotent.ts'
import { ANSWER, answerOf, IDEMPOTENCY, textOf } from '../write/idempotency.ts'

/** The answers that are kept for an `Idempotency-Key`, as far as a domain can read them. */
export const keptAnswers = (model: Model): Mentioning => ({
  kind: 'idempotentAnswer',
  table: IDEMPOTENCY,
  columns: [ANSWER],
  open: (kept) => answerOf(kept, codecOf(model)),
  close: (value: Value, kept) => textOf(value, kept, codecOf(model)),
})
