import { errors } from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import { crossPlan } from './plan.ts'

/**
 * Throws CONFLICT where formulas of records that are there would, with a definition that comes into force, read each other in a
 * circle: those of the definition alone were judged before.
 */
export async function assertNoCircles({ resources }: Model, reader: Reader): Promise<void> {
  const [circle] = (await crossPlan(resources)?.graph(reader))?.circles ?? []
  if (circle === undefined) return
  throw errors.CONFLICT({
    message: `With formulas of records that are there, formulas would read each other in a circle: ${[...circle, circle[0]].join(' → ')}. Change these records first`,
  })
}
