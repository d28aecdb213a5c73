import type { Value } from '@svc/store/contract'
import type { Expression } from '../expression.ts'
import type { Parameter } from '../functions/parameter.ts'
import type { Formats } from './formats.ts'

/** How a value is written as text, by a name that means the same wherever it stands. */
export interface Format {
  /** What may be said besides its name: all of it may be left out. */
  readonly takes: readonly Parameter[]
  /** What is wrong with what is said, in words. */
  inspect?(arg: Value): string | undefined
  /** The text; undefined where it cannot read the value. Arguments are of the types that it takes. */
  write(
    value: Value,
    args: readonly Value[],
    formats: Formats,
    of: Expression | undefined,
  ): string | undefined
}
