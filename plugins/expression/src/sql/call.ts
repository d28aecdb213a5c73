import type { Scalar, ScalarFunction, ScalarType } from '@svc/store/contract'
import type { Call } from '../syntax/ast.ts'
import type { SqlForm } from '../functions/function.ts'
import type { Parameter } from '../functions/parameter.ts'
import type { Vocabulary } from '../vocabulary.ts'
import {
  as,
  call,
  computed,
  constant,
  NULL,
  nullOf,
  type Part,
  single,
  type Term,
  type Translation,
} from './term.ts'

/** A call whose arguments are translated. */
export interface SqlCall {
  readonly node: Call
  readonly args: readonly Part[]
  readonly vocabulary: Vocabulary
  /** The record's field of this name. */
  field(name: string): Translation
}

/** How a function becomes a scalar, or why it cannot. */
export type SqlFunction = ((call: SqlCall) => Translation) | string

/** A function that the stores have under a name of their own, with arguments of these types. */
export function strict(name: ScalarFunction, wants: readonly ScalarType[], gives: ScalarType): SqlFunction {
  return ({ args }) => {
    const parts = args.map(single)
    return {
      type: gives,
      bind: (context) => call(name, ...parts.map((part, i) => as(part.bind(context), wants[i] ?? 'text'))),
    }
  }
}

/** A boolean that is the same for every caller and row. */
export const constantly = (value: boolean | null): Translation => ({
  type: 'boolean',
  bind: () => constant(value),
})

/** Null where `asked` is null, else the alternate. */
export const unlessNull = (asked: Scalar, alternate: Scalar, type: ScalarType): Term =>
  computed({ op: 'if', test: { op: 'null', of: asked }, consequent: nullOf(type), alternate }, type)

/** A function of a plugin by its SQL form: null where an argument is. */
export function ofForm({ gives, scalar }: SqlForm, takes: readonly Parameter[]): SqlFunction {
  return ({ args }) => {
    const parts = args.map(single)
    return {
      type: gives,
      bind(context) {
        const of = parts.map((part, i) =>
          as(part.bind(context), typeOf(takes[Math.min(i, takes.length - 1)])),
        )
        const known = of.filter((one) => one !== undefined)
        if (known.length < of.length) return NULL
        const whole = scalar(...known)
        return computed(
          known.reduce<Scalar>(
            (alternate, asked) => ({
              op: 'if',
              test: { op: 'null', of: asked },
              consequent: nullOf(gives),
              alternate,
            }),
            whole,
          ),
          gives,
        )
      },
    }
  }
}

const typeOf = (parameter: Parameter | undefined): ScalarType => (parameter === 'number' ? 'number' : 'text')

/** For a function that reads no record: it is worked out before the query and never gets here. */
export const NO_RECORD: SqlFunction = () => ({ type: undefined, bind: () => NULL })
