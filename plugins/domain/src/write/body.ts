import { inTurn } from '../blocks/in-turn.ts'
import type { PrepareStep } from './change.ts'
import { keepImmutable } from './immutable.ts'
import { assertTouchable } from './previous.ts'
import type { CheckReferences } from './references.ts'
import { refuseFaults } from './validate.ts'
import { verifyValues } from './verify.ts'

/** Gathers what a body is at fault with, in `steps`. Who may not touch the record hears that in place of what they throw. */
export const judgeBody =
  (steps: readonly PrepareStep[]): PrepareStep =>
  (change) => {
    const refuse = async (error: unknown): Promise<never> => {
      await assertTouchable(change)
      throw error
    }
    try {
      return inTurn(steps, change, undefined)?.catch(refuse)
    } catch (error) {
      return refuse(error)
    }
  }

/**
 * Ends a change whose body is at fault. Who may not touch the record hears that in place of the faults. Whoever may
 * hears all of them at once, those that only stored records show too.
 */
export function refuseBody(references: CheckReferences): PrepareStep {
  const steps: readonly PrepareStep[] = [
    assertTouchable,
    (change) => (change.previous === undefined ? undefined : keepImmutable(change)),
    (change) => references(change, change.reader, false),
    (change) => verifyValues(change, change.reader, false),
    refuseFaults,
  ]
  return (change) => (change.faults.length === 0 ? undefined : inTurn(steps, change, undefined))
}
