import { AppError, isPending, unlessRefused } from '@svc/kernel'
import { inTurn } from '../blocks/in-turn.ts'
import { assertPossible } from './authorize.ts'
import { judgeFaults, type Judge } from './body.ts'
import type { Change } from './change.ts'
import type { CheckReferences } from './references.ts'
import { hashSecrets } from './secrets.ts'
import type { ModelSteps } from './steps.ts'
import type { Writer } from './writer.ts'

/** What comes before the transaction of a change. */
export interface Beforehand extends Pick<Writer, 'check' | 'gather' | 'refuse' | 'ask'> {
  /** All of it; answers what the body is refused with. */
  readonly prepare: Judge
}

/** Puts in order what comes before the transactions of changes on a model. */
export function createBeforehand(steps: Pick<ModelSteps, 'of'>, references: CheckReferences): Beforehand {
  const faultsOf = judgeFaults(references)
  const gather = (change: Change) => {
    assertPossible(change)
    return inTurn(steps.of(change).check, change, undefined)
  }
  const refuse = (change: Change) => thrown(faultsOf(change))
  const ask = (change: Change) => inTurn(steps.of(change).ask ?? [], change, undefined)
  const judge: Judge = (change) => {
    const pending = gather(change)
    return pending === undefined ? faultsOf(change) : pending.then(() => faultsOf(change))
  }
  /** What is done to a change that nothing is wrong with. */
  const sound = [(change: Change) => hashSecrets([change]), ask]
  const accept: Judge = (change) => inTurn(sound, change, undefined)?.then(() => undefined)
  return {
    gather,
    refuse,
    ask,
    check: (change) => inTurn([gather, refuse], change, undefined),
    prepare(change) {
      const refused = judge(change)
      if (refused === undefined) return accept(change)
      return refused instanceof AppError ? refused : refused.then((late) => late ?? accept(change))
    },
  }
}

/** Throws what a change is refused with. */
export const thrown = (refused: ReturnType<Judge>): void | Promise<void> =>
  isPending(refused) ? refused.then((late) => void unlessRefused(late)) : void unlessRefused(refused)
