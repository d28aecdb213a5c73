import type { Expression, Locale, Text } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { TimelineEntry } from '@svc/history/contract'
import type { Row } from '@svc/store/contract'

/** Whether whoever hears something may be told what an expression comes to. */
export type Shows = (expression: Expression) => boolean

/** What a rule says of a firing. */
export interface Words {
  /** The message as it is written. */
  readonly message: Text
  /** What message and values are worked out from. */
  readonly expressions: readonly Expression[]
  /** The values beside the message, as far as they may be shown. */
  data(context: EvaluationContext, shows?: Shows): Row
  /** The message as a timeline takes it, with the fields that each of its values is made of. */
  narrated(
    context: EvaluationContext,
  ): Pick<TimelineEntry, 'label'> & Required<Pick<TimelineEntry, 'values' | 'sources'>>
  /** The message in a language, filled with what may be shown. */
  tell(context: EvaluationContext, locale: Locale, shows?: Shows): string
}
