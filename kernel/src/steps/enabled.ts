import { errors } from '../errors.ts'
import type { Exchange } from '../exchange.ts'

/** An action that is switched off is not there. */
export function enabled({ action }: Exchange): void {
  if (action.enabled !== undefined && !action.enabled()) throw errors.NOT_FOUND()
}
