import { checkDistinct } from '../../compile/names.ts'
import { compileOperation, type OperationPlace, type SendingPlace } from '../../compile/operation.ts'
import type { Sending } from '../../compile/sending.ts'
import type { Consumer } from '../../inbound/consumer.ts'
import type { Operation } from '../../operation.ts'
import { compileConsuming } from './consuming.ts'
import type { BrokerOperation } from './definition.ts'

/** How operations of a kind of broker work. */
interface Working<W> {
  /** Names that expressions know of a message besides its body and headers. */
  readonly names: readonly string[]
  publishing(written: W, place: SendingPlace): Sending | undefined
  /** How messages are consumed; undefined where something is wrong, which is reported. */
  consuming(name: string, written: W): Pick<Consumer, 'text' | 'count' | 'consume'> | undefined
}

/** Compiles the operations of a broker: those that publish, and those that consume. */
export function compileBrokerOperations<W extends BrokerOperation>(
  written: Readonly<Record<string, W>> = {},
  place: OperationPlace,
  { names, publishing, consuming }: Working<W>,
): ReadonlyMap<string, Operation> {
  checkDistinct(Object.keys(written), [place.integration, 'operations'], place.site)
  const operations = new Map<string, Operation>()
  for (const [name, one] of Object.entries(written)) {
    const compiled =
      one.direction === 'consume'
        ? compileConsuming(name, one, names, place, consuming(name, one))
        : compileOperation(name, one, place, publishing)
    if (compiled) operations.set(name, compiled)
  }
  return operations
}
