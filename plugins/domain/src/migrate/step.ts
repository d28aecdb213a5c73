import type { SchemaStep } from '@svc/store/contract'
import type { Concern } from './concern.ts'
import type { DataStep, Rewrite } from './data.ts'
import { type Derive, reverseDerive } from './derive.ts'
import { type Recompute, reverseRecompute, withWholeOnce } from './recompute.ts'
import { type Reseal, reverseReseal } from './reseal.ts'
import { type Retrace, reverseRetrace } from './retrace.ts'
import { reverseStep } from './schema.ts'

/** One thing that the database does for a step: a change of the schema, or of the values in it. */
export type Work = SchemaStep | DataStep

/** A step as its author would put it. */
export type StepKind =
  | Exclude<SchemaStep['kind'], 'setForeignKeys'>
  | 'changeColumn'
  | 'fillColumn'
  | 'recompute'
  | 'deriveColumn'
  | 'retrace'
  | 'reseal'
  | 'encryptColumn'
  | 'decryptColumn'
  | 'checkColumn'
  | 'changeForeignKeys'

/** One change from a model to the next, with the work that it takes, in order. */
export interface MigrationStep {
  readonly kind: StepKind
  readonly table: string
  readonly column?: string
  /** What happens, for people. */
  readonly message: string
  /** What is lost for good; undefined where nothing is. */
  readonly loss?: string
  /** The rows that the loss is about. */
  readonly concern?: Concern
  /** The step is called for, and its loss real, only where this would change a stored value. */
  readonly doubt?: Rewrite
  readonly work: readonly Work[]
}

const DATA: ReadonlySet<string> = new Set<DataStep['kind']>([
  'fill',
  'rewrite',
  'moveCounter',
  'recompute',
  'derive',
  'retrace',
  'reseal',
])

export const isDataStep = (work: Work): work is DataStep => DATA.has(work.kind)

/** The work that takes `work` back, in order. What is worked out comes last, when the values that it reads are back. */
export const reverseWork = (work: readonly Work[]): readonly Work[] => [
  ...work
    .filter((one) => !isRecompute(one) && !isDerive(one) && !isRetrace(one) && !isReseal(one))
    .toReversed()
    .flatMap(reverseOne),
  ...withWholeOnce(work.filter(isRecompute).flatMap(reverseRecompute)),
  ...work.filter(isDerive).flatMap(reverseDerive),
  ...work.filter(isRetrace).map(reverseRetrace),
  ...work.filter(isReseal).map(reverseReseal),
]

const isRetrace = (work: Work): work is Retrace => work.kind === 'retrace'

const isReseal = (work: Work): work is Reseal => work.kind === 'reseal'

const isDerive = (work: Work): work is Derive => work.kind === 'derive'

const isRecompute = (work: Work): work is Recompute => work.kind === 'recompute'

function reverseOne(one: Work): readonly Work[] {
  if (!isDataStep(one)) return [reverseStep(one)]
  if (one.kind === 'moveCounter') return [{ ...one, from: one.to, to: one.from }]
  if (one.kind !== 'rewrite' || one.back === undefined) return []
  const { kind, table, from, to, convert, back } = one
  // A rollback loses what does not fit; it is not refused for that.
  return [{ kind, table, from: to, to: from, convert: back, back: convert }]
}
