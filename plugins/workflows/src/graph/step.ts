import type { CompiledAction, Duration, Trigger } from '@svc/automation/contract'
import type { Expression, Path, Resource, RowCondition } from '@svc/domain/contract'
import type { Known } from '@svc/expression/contract'
import type { EventWait } from '../waits/wait.ts'

/** Where a line goes on: a step, or the end of its branch. */
export type Next = string | undefined

/** What a step can be. */
export const STEP_KINDS = ['action', 'wait', 'decide', 'parallel', 'forEach'] as const
export type StepKind = (typeof STEP_KINDS)[number]

interface Common {
  readonly name: string
  readonly next: Next
  /** The resource whose record is at hand; undefined where none is. */
  readonly resource: Resource | undefined
  /** Whether the record at hand is the item of a forEach, not the one that started the instance. */
  readonly isItem: boolean
  /** Everything that it evaluates. */
  readonly expressions: readonly Expression[]
  /** The steps whose results these name. */
  readonly reads: readonly string[]
  /** What is known of the names after `$`. */
  readonly shapes: ReadonlyMap<string, Known>
}

export interface ActionStep extends Common {
  readonly kind: 'action'
  readonly action: CompiledAction
}

export interface WaitStep extends Common {
  readonly kind: 'wait'
  /** Undefined: it rests for `duration`. */
  readonly wait: EventWait | undefined
  readonly duration: Duration | undefined
  /** Where it goes on when that is over. */
  readonly late: Next
  readonly condition: Expression | undefined
  /** Where it goes on when the condition is not true. */
  readonly otherwise: Next
}

export interface DecideStep extends Common {
  readonly kind: 'decide'
  readonly branches: readonly { readonly condition: Expression; readonly next: Next }[]
  /** Undefined: it fails where no condition is true. */
  readonly fallback: { readonly next: Next } | undefined
}

export interface ParallelStep extends Common {
  readonly kind: 'parallel'
  readonly mode: 'all' | 'any'
  /** The first steps of its branches. */
  readonly branches: readonly string[]
}

export interface ForEachStep extends Common {
  readonly kind: 'forEach'
  readonly collection:
    | { readonly of: 'list'; readonly list: Expression }
    | { readonly of: 'records'; readonly resource: Resource; readonly filter: RowCondition | undefined }
  readonly as: string
  /** The first step of what runs for an item. */
  readonly branch: string
}

/** A step, compiled. */
export type Step = ActionStep | WaitStep | DecideStep | ParallelStep | ForEachStep

/** A step of which something is wrong against the model in force: it fails, as a client would who asked for that. */
export interface FaultyStep {
  readonly kind: 'faulty'
  readonly name: string
  readonly of: StepKind
  readonly code: string
  readonly message: string
}

/** A workflow, compiled: what instances of one text go by. */
export interface Workflow {
  readonly name: string
  readonly enabled: boolean
  /** The resource whose records its instances are about. */
  readonly resource: Resource | undefined
  /** What starts an instance; undefined: no write does. */
  readonly trigger: Trigger | undefined
  readonly start: string
  readonly steps: ReadonlyMap<string, Step | FaultyStep>
  /** When an instance is over whatever it is at; the step `timeout` is done then. */
  readonly timeout: Duration | undefined
  /** The first step of the handler. */
  readonly onError: string | undefined
  /** The names by which the forEach that runs a branch calls its items, by the first step of the branch. */
  readonly itemNames: ReadonlyMap<string, string>
  /** The innermost forEach around each step that is in one. */
  readonly forEachAround: ReadonlyMap<string, string>
}

/** A step as it is written, wherever that is. */
export interface Placed<T> {
  readonly name: string
  readonly path: Path
  readonly written: T
}
