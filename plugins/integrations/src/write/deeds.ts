import type { Expression } from '@svc/domain/contract'
import { mayHold } from '../mapping/mapping.ts'
import { together } from './apply.ts'
import type { Writing } from './writing.ts'

/** One thing that becomes of messages. */
export interface Deed {
  readonly when: Expression | undefined
  readonly writing: Writing
}

/** Several deeds as one: those whose condition holds, in their order. */
export const allOf = (deeds: readonly Deed[]): Writing => ({
  expressions: deeds.flatMap(({ when, writing }) => [...(when ? [when] : []), ...writing.expressions]),
  resources: new Set(deeds.flatMap(({ writing }) => [...writing.resources])),
  isFinding: deeds.some(({ writing }) => writing.isFinding),
  async prepare(context, finds) {
    for (const { when, writing } of deeds)
      if (await finds.work(context, (found) => when?.holds(found) !== false))
        await writing.prepare(context, finds)
  },
  async apply(context, finds, writes, as) {
    const applied = []
    for (const { when, writing } of deeds)
      if (await finds.work(context, (found) => when?.holds(found) !== false))
        applied.push(await writing.apply(context, finds, writes, as))
    return together(applied)
  },
  async preview(context, finds, shows) {
    const all = []
    for (const { when, writing } of deeds)
      if (await finds.work(context, (found) => mayHold(when, found, shows)))
        all.push(...(await writing.preview(context, finds, shows)))
    return all
  },
})
