import { brand } from '@svc/kernel'
/** Something wrong with an expression. `offset` counts UTF-16 units of the source from 0. */
export interface Fault {
  /** A warning is an expression with a meaning that is hardly meant, such as ordering a number and a text. */
  readonly severity: 'error' | 'warning'
  readonly offset: number
  readonly message: string
  /** What would be right. */
  readonly hint?: string
}

/** Says that an expression cannot be used, and everything that speaks against it. */
export class ExpressionError extends Error {
  static {
    brand(this, 'ExpressionError')
  }

  override readonly name = 'ExpressionError'
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super(faults.map(describe).join('; '))
    this.faults = faults
  }

  /** Where the first fault stands. */
  get offset(): number {
    return this.faults[0]?.offset ?? 0
  }

  get hint(): string | undefined {
    return this.faults[0]?.hint
  }
}

/** A fault that makes an expression unusable. */
export const errorAt = (offset: number, message: string, hint?: string): Fault =>
  fault('error', offset, message, hint)

/** A fault that leaves an expression usable. */
export const warningAt = (offset: number, message: string, hint?: string): Fault =>
  fault('warning', offset, message, hint)

/** The hint that names what was probably meant. */
export const didYouMean = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : `did you mean '${name}'?`

const fault = (
  severity: Fault['severity'],
  offset: number,
  message: string,
  hint: string | undefined,
): Fault => (hint === undefined ? { severity, offset, message } : { severity, offset, message, hint })

const describe = ({ offset, message, hint }: Fault): string =>
  `${message} at character ${offset + 1}${hint === undefined ? '' : ` (${hint})`}`
