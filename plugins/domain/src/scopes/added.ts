import { compileTree, type Node, translateValue, type Vocabulary } from '@svc/expression/contract'
import type { Column } from '@svc/store/contract'
import { heightOver } from './compare.ts'
import { type Operand, type OperandKind, refusal } from './operand.ts'

/** The functions that plugins add which filters may call. */
export interface AddedCalls {
  readonly names: readonly string[]
  /** A call with values that are written out. Throws ExpressionError where it cannot be made. */
  call(name: string, args: readonly Operand[], offset: number): Operand
}

/**
 * Functions of plugins that ask about the record as a whole, by way of what it leads to: they mean in a filter what they
 * mean in an expression of the same resource.
 */
export function addedCalls(vocabulary: Vocabulary, columns: ReadonlyMap<string, Column>): AddedCalls {
  const functions = vocabulary.functions ?? new Map()
  const names = [...functions].flatMap(([name, { through }]) => (through === undefined ? [] : [name]))
  return {
    names,
    call(name, args, offset) {
      const node: Node = { kind: 'call', name, args: args.map(writtenOut), offset }
      const expression = compileTree(name, node, vocabulary)
      const bind = translateValue(expression, { vocabulary, columns })
      const kind = KINDS.get(expression.kind)
      if (bind === undefined || kind === undefined)
        throw refusal(offset, `the database cannot work out what '${name}' gives`)
      return {
        offset,
        kind,
        height: heightOver(args),
        bind: ({ caller: user, now }) => bind({ user, op: 'list', rowsOf: 'author', now: () => now }),
      }
    },
  }
}

function writtenOut({ literal, offset }: Operand): Node {
  if (literal === undefined) throw refusal(offset, 'this is no value that is written out')
  return { kind: 'literal', value: literal, offset }
}

const KINDS: ReadonlyMap<string, OperandKind> = new Map(
  (['text', 'number', 'boolean', 'date', 'datetime'] as const).map((kind) => [kind, kind]),
)
