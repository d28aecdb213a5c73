import type { Speech } from '@svc/domain/contract'
import type { Words } from '../texts/words.ts'
import type { ChosenChannel } from './channels.ts'
import type { CompiledRecipients } from './recipients.ts'

/** A notification as it was compiled. */
export interface Plan {
  readonly domain: string
  readonly name: string
  readonly channels: readonly ChosenChannel[]
  readonly recipients: CompiledRecipients
  readonly words: Words
  readonly speech: Speech
}
