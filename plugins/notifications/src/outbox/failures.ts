import type { Delivered } from '../channel.ts'
import { MAX_RECIPIENTS } from './recipients.ts'

/** A message that will not be sent, with the code that its entry bears. */
export const failed = (code: string, message: string): Delivered => ({ status: 'failed', code, message })

/** A notification that reaches more recipients than it may. */
export const tooMany = (): Delivered =>
  failed('TOO_MANY_RECIPIENTS', `A notification reaches at most ${MAX_RECIPIENTS} recipients`)
