import type { Value } from '@svc/store/contract'
import type { Node } from '../syntax/ast.ts'
import type { Expression } from '../expression.ts'
import type { Formats } from '../formats/formats.ts'
import { misfitValue, type Parameter } from '../functions/parameter.ts'

/** What a value goes through on its way into a text. */
export interface Pipe {
  /** What stands behind its colon; arguments of other types make it pass the value on. */
  readonly takes: readonly Parameter[]
  /** How many of the first have to be there; none unless said. */
  readonly needs?: number
  /** What it makes, for an output that writes that otherwise than a value, such as `markdown`. */
  readonly makes?: string
  /** What is wrong with an argument that is written out, in words; it is of the type that is wanted. */
  inspect?(arg: Value): string | undefined
  /**
   * What becomes of a value; undefined where the pipe cannot read it, which is passed on then. Null does not come here but
   * where `takesNull` says so.
   */
  apply(value: Value, args: readonly Value[], piping: Piping): Value | undefined
  readonly takesNull?: boolean
}

/** What pipes know besides the value. */
export interface Piping {
  readonly formats: Formats
  /** Where the value comes from. */
  readonly of: Expression
}

/** Pipes by name. */
export type Pipes = ReadonlyMap<string, Pipe>

/** A pipe where it stands. */
export interface AppliedPipe {
  readonly name: string
  readonly pipe: Pipe
  readonly args: readonly Expression[]
}

/** What is wrong with a pipe as it is written, and with which of its arguments. */
export function pipeFault(
  name: string,
  { takes, needs = 0, inspect }: Pipe,
  args: readonly Node[],
): { readonly message: string; readonly hint?: string; readonly at?: Node } | undefined {
  if (args.length < needs || args.length > takes.length)
    return { message: `the pipe '${name}' takes ${countOf(needs, takes.length)}, not ${args.length}` }
  for (const [i, arg] of args.entries()) {
    const takesIt = takes[i]
    if (arg.kind !== 'literal' || takesIt === undefined) continue
    const wants = misfitValue(takesIt, arg.value)
    const message = wants === undefined ? inspect?.(arg.value) : `the pipe '${name}' wants ${wants} here`
    if (message !== undefined) return { message, at: arg }
  }
  return undefined
}

const countOf = (least: number, most: number): string => {
  if (most === 0) return 'no arguments'
  const count = least === most ? `${most}` : `${least} to ${most}`
  return `${count} ${count === '1' ? 'argument' : 'arguments'}`
}
