import type { Expression, Resource, Writes } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Caller } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import type { Finds } from '../mapping/finds.ts'
import type { Shows } from '../mapping/mapping.ts'

/** What was written, as it is told. */
export interface Written {
  readonly resource: string
  readonly action: string
  readonly id: Value
}

/** What writes have done, and what their mappings have made, later ones in front. */
export interface Applied {
  readonly written: readonly Written[]
  readonly mapped: Row
}

/** What a write finds. */
export interface WriteContext extends EvaluationContext {
  /** The key of `$record`. */
  readonly key: Value | undefined
}

/** The writes of an operation or a webhook, compiled. */
export interface Writing {
  readonly expressions: readonly Expression[]
  /** The resources that are written. */
  readonly resources: ReadonlySet<Resource>
  /** Whether it looks for other records. */
  readonly isFinding: boolean
  /** Looks for all that is looked for, so that nothing else has to be read while it is written. */
  prepare(context: WriteContext, finds: Finds): Promise<void>
  /** Writes all, in their order and in one transaction, with somebody's rights. Throws what refuses any of it. */
  apply(context: WriteContext, finds: Finds, writes: Writes, as: Caller): Promise<Applied>
  /** What would be written, as far as it is known: what reads what `shows` denies is `***`. Nothing is written. */
  preview(context: WriteContext, finds: Finds, shows?: Shows): Promise<readonly Row[]>
}
