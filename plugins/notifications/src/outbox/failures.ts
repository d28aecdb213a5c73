import type { AppError } from '@svc/kernel'
import type { Delivered } from '../channel.ts'
import { MAX_RECIPIENTS } from './recipients.ts'

/** A message that will not be sent, with the code that its entry bears. */
export const failed = (code: string, message: string): Delivered => ({ status: 'failed', code, message })

/** A message about a record that what runs by itself passes over by now. */
export const keptBack = ({ code, message }: AppError): Delivered => failed(code, message)

/** A notification that was raised while the domain sealed values, by one that does not any more. */
export const unreadable = (): Delivered =>
  failed('CONFLICT', 'What it says was sealed, and nothing in the present definition opens it')

/** A notification that reaches more recipients than it may. */
export const tooMany = (): Delivered =>
  failed('TOO_MANY_RECIPIENTS', `A notification reaches at most ${MAX_RECIPIENTS} recipients`)
