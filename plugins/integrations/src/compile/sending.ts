import type { Expression, Field } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Row } from '@svc/store/contract'
import type { Shows } from '../mapping/mapping.ts'
import type { Attempted } from '../run/attempted.ts'
import type { Asked } from '../wire/asked.ts'
import type { Message, ShownMessage } from '../wire/message.ts'

/** What the operations of a type send, and how: all that is particular about them. */
export interface Sending {
  /** All that a message is made of. */
  readonly expressions: readonly Expression[]
  /** Whether it changes nothing on the other side. */
  readonly isRead: boolean
  /** Whether the other side tells doubles. */
  readonly isRepeatable: boolean
  /** The field of `$record` that takes what an attempt brings. */
  readonly saving?: Field | undefined
  /** Makes a message. Throws VALIDATION_ERROR, rule `mapping`, where a value cannot be sent. */
  make(runId: string, context: EvaluationContext, shows?: Shows): Message
  /** A message without what authorizes it. */
  show(message: Message): ShownMessage
  /** The parts of it that a dry run tells, by the words of the type. */
  tell(shown: ShownMessage): Row
  /** Whether somebody has consented to it, where that is needed. */
  isConnected?(): Promise<boolean>
  /** Sends it once. Throws CONFLICT where a secret is not configured. */
  attempt(message: Message, asked: Pick<Asked, 'signal' | 'runId'>): Promise<Attempted>
}
