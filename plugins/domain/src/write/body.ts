import type { AppError } from '@svc/kernel'
import { inTurn } from '../blocks/in-turn.ts'
import type { Change, PrepareStep } from './change.ts'
import { keepImmutable } from './immutable.ts'
import { assertTouchable } from './previous.ts'
import type { CheckReferences } from './references.ts'
import { refusalOf } from './validate.ts'
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

/** Answers what a change is refused with, at once where nothing has to be waited for; many a body is refused. */
export type Judge = (change: Change) => AppError | undefined | Promise<AppError | undefined>

/**
 * Judges whether the body of a change is at fault. Who may not touch the record hears that in place of the faults, by a throw.
 * Whoever may hears all of them at once, those that only stored records show too.
 */
export function judgeFaults(references: CheckReferences): Judge {
  const steps: readonly PrepareStep[] = [
    assertTouchable,
    (change) => (change.previous === undefined ? undefined : keepImmutable(change)),
    (change) => references(change, change.reader, false),
    (change) => verifyValues(change, change.reader, false),
  ]
  return (change) => {
    if (change.faults.length === 0) return undefined
    const pending = inTurn(steps, change, undefined)
    return pending === undefined ? refusalOf(change) : pending.then(() => refusalOf(change))
  }
}
