import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '@svc/store/contract'
import type { Move, Traces } from '../contract/part.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { ModelPairing, Pair, ResourcePair } from './pairs.ts'
import type { MigrationStep, Retrace } from './step.ts'

/** The step that renews what blocks keep beside the records, where that may have changed. */
export function retraceSteps(models: Pair<Model>, { resources }: ModelPairing): readonly MigrationStep[] {
  const traces: Pair<readonly Traces[]> = { from: tracesOf(models.from), to: tracesOf(models.to) }
  const isTraced = (by: readonly Traces[]) => (field: Field) => by.some((one) => one.holds(field))
  const holds: Pair<Holds> = { from: isTraced(traces.from), to: isTraced(traces.to) }
  const moves: readonly Move[] = [
    ...resources.kept.filter((pair) => isConcerned(pair, holds)),
    ...resources.added.filter((to) => has(to, holds.to)).map((to) => ({ from: undefined, to })),
    ...resources.dropped.filter((from) => has(from, holds.from)).map((from) => ({ from, to: undefined })),
  ].map(({ from, to }) => ({ from, to }))
  if (moves.length === 0) return []
  const names = moves.map(({ from, to }) => `'${(to ?? from)!.name}'`)
  return [
    {
      kind: 'retrace',
      table: (moves[0]!.to ?? moves[0]!.from)!.table.name,
      message: `what the records of ${names.join(', ')} refer to is found anew`,
      work: [{ kind: 'retrace', moves, models }],
    },
  ]
}

export async function retrace({ moves, models }: Retrace, transaction: Transaction): Promise<void> {
  for (const { renew } of tracesOf(models.to)) await renew(moves, transaction)
}

/** The step that takes one back: what is kept of the values as they are then. */
export const reverseRetrace = ({ kind, moves, models }: Retrace): Retrace => ({
  kind,
  moves: moves.map(({ from, to }) => ({ from: to, to: from })),
  models: { from: models.to, to: models.from },
})

type Holds = (field: Field) => boolean

const tracesOf = ({ parts }: Model): readonly Traces[] => parts.flatMap(({ part }) => part.traces ?? [])

const has = ({ fields }: Resource, holds: Holds): boolean => [...fields.values()].some(holds)

function isConcerned({ from, to, fields, shared }: ResourcePair, holds: Pair<Holds>): boolean {
  if (!has(from, holds.from) && !has(to, holds.to)) return false
  if (from.name !== to.name || shared.blocks) return true
  return (
    fields.dropped.some(holds.from) ||
    fields.added.some((field) => holds.to(field) && isFilled(field)) ||
    fields.kept.some(({ from: was, to: is }) => holds.from(was) !== holds.to(is)) ||
    fields.kept.some((pair) => (holds.from(pair.from) || holds.to(pair.to)) && !isSame(pair))
  )
}

/** Whether a new field has values in the records that are there. */
const isFilled = ({ default: value = null, computed }: Field): boolean =>
  value !== null || computed !== undefined

const isSame = ({ from, to }: Pair<Field>): boolean =>
  from.name === to.name &&
  to.computed === undefined &&
  isDeepStrictEqual(withoutTexts(from), withoutTexts(to))

const withoutTexts = ({ definition: { label: _, description: __, ...rest } }: Field) => rest
