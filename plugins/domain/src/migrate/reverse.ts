import { reverseDerive } from './derive.ts'
import { reverseRecompute, withWholeOnce } from './recompute.ts'
import { reverseReseal } from './reseal.ts'
import { reverseRetrace } from './retrace.ts'
import { reverseStep } from './schema.ts'
import {
  type Derive,
  isDataStep,
  type RaiseCounter,
  type Recompute,
  type Reseal,
  type Retrace,
  type Work,
} from './step.ts'

/** The work that takes `work` back, in order. What is worked out comes last, when the values that it reads are back. */
export const reverseWork = (work: readonly Work[]): readonly Work[] => [
  ...work
    .filter(
      (one) => !isRaise(one) && !isRecompute(one) && !isDerive(one) && !isRetrace(one) && !isReseal(one),
    )
    .toReversed()
    .flatMap(reverseOne),
  ...work.filter(isRaise).map(({ kind, to, from }) => ({ kind, to: from, from: to })),
  ...withWholeOnce(work.filter(isRecompute).flatMap(reverseRecompute)),
  ...work.filter(isDerive).flatMap(reverseDerive),
  ...work.filter(isRetrace).map(reverseRetrace),
  ...work.filter(isReseal).map(reverseReseal),
]

const isRaise = (work: Work): work is RaiseCounter => work.kind === 'raiseCounter'

const isRetrace = (work: Work): work is Retrace => work.kind === 'retrace'

const isReseal = (work: Work): work is Reseal => work.kind === 'reseal'

const isDerive = (work: Work): work is Derive => work.kind === 'derive'

const isRecompute = (work: Work): work is Recompute => work.kind === 'recompute'

function reverseOne(one: Work): readonly Work[] {
  if (!isDataStep(one)) return [reverseStep(one)]
  if (one.kind === 'moveCounter' || one.kind === 'followName') return [{ ...one, from: one.to, to: one.from }]
  if (one.kind !== 'rewrite' || one.back === undefined) return []
  const { kind, table, from, to, convert, back } = one
  // A rollback loses what does not fit; it is not refused for that.
  return [{ kind, table, from: to, to: from, convert: back, back: convert }]
}
