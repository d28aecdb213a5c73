import { errors } from '@svc/kernel'
import type { Data } from '../contract/data.ts'
import type { Gate } from './gate.ts'

/**
 * Records for what lives beside requests: it writes between two exchanges, and no longer than `isInForce` says. Throws
 * UNAVAILABLE after that.
 */
export const gated = (data: Data, gate: Gate, isInForce: () => boolean): Data => ({
  ...data,
  async write(asker, work, options) {
    const passage = gate.pass(true)
    if (passage !== undefined) await passage
    try {
      if (!isInForce()) throw replaced(data)
      return await data.write(asker, work, options)
    } finally {
      gate.leave()
    }
  },
})

const replaced = ({ model: { name, version } }: Data) =>
  errors.UNAVAILABLE({ message: `Version ${version} of '${name}' is no longer in force` })
