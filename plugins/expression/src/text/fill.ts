import type { Value } from '@svc/store/contract'
import type { Expression } from '../expression.ts'
import type { Formats } from '../formats/formats.ts'
import { readArguments } from '../functions/parameter.ts'
import { isList, isObject } from '../kind.ts'
import type { EvaluationContext } from '../vocabulary.ts'
import { TEXT_LIMITS, TextLimitError } from './limits.ts'
import { LOOP } from './loop.ts'
import type { AppliedPipe } from './pipe.ts'
import type { EachPart, IfPart, Part, ValuePart } from './tree.ts'

/** Where a text goes that is filled, such as plain text or Markdown. */
export interface TextOutput {
  /** What the author wrote. */
  words(text: string): void
  /** What is put in; `made` is what the last pipe that says so makes. */
  value(value: Value, made: string | undefined): void
}

/** How a text is filled. */
export interface Filling {
  readonly formats: Formats
  /** Whether the value of an expression may be told to whoever reads the text; one that may not is null. All unless said. */
  readonly shows?: ((expression: Expression) => boolean) | undefined
}

/** Fills a text's parts in one pass. Throws TextLimitError. */
export function fillParts(
  parts: readonly Part[],
  context: EvaluationContext,
  filling: Filling,
  output: TextOutput,
): void {
  new Filler(filling, output).parts(parts, context)
}

class Filler {
  readonly #filling: Filling
  readonly #output: TextOutput
  #passes = 0

  constructor(filling: Filling, output: TextOutput) {
    this.#filling = filling
    this.#output = output
  }

  parts(parts: readonly Part[], context: EvaluationContext): void {
    for (const part of parts) {
      if (part.kind === 'words') this.#output.words(part.text)
      else if (part.kind === 'value') this.#value(part, context)
      else if (part.kind === 'each') this.#each(part, context)
      else this.parts(this.#branch(part, context), context)
    }
  }

  #value({ value, pipes }: ValuePart, context: EvaluationContext): void {
    let made: string | undefined
    let present = this.#evaluate(value, context)
    for (const applied of pipes) {
      const piped = this.#piped(present, applied, value, context)
      if (piped === undefined) continue
      present = piped
      made = applied.pipe.makes ?? made
    }
    this.#output.value(present, made)
  }

  #piped(
    value: Value,
    { pipe, args }: AppliedPipe,
    of: Expression,
    context: EvaluationContext,
  ): Value | undefined {
    if (value === null && pipe.takesNull !== true) return undefined
    const values = args.map((arg) => this.#evaluate(arg, context))
    if (values.length > 0 && readArguments(pipe.takes, values) === undefined) return undefined
    return pipe.apply(value, values, { formats: this.#filling.formats, of })
  }

  #each(part: EachPart, context: EvaluationContext): void {
    const { list, as, body, otherwise } = part
    const value = this.#evaluate(list, context)
    const items = isList(value) ? value : []
    if (items.length === 0) return this.parts(otherwise, context)
    const count = items.length
    for (const [at, item] of items.entries()) {
      if (++this.#passes > TEXT_LIMITS.passes) throw new TextLimitError('passes')
      const loop = { index: at + 1, first: at === 0, last: at === count - 1, count }
      const names: Readonly<Record<string, Value>> = {
        ...context.names,
        ...membersOf(item, part),
        ...(as !== undefined && { [as]: item }),
        [LOOP]: loop,
      }
      this.parts(body, { ...context, names })
    }
  }

  #branch({ branches, otherwise }: IfPart, context: EvaluationContext): readonly Part[] {
    const met = branches.find(({ condition }) => this.#evaluate(condition, context) === true)
    return met?.body ?? otherwise
  }

  #evaluate(expression: Expression, context: EvaluationContext): Value {
    const { shows } = this.#filling
    return shows === undefined || shows(expression) ? expression.evaluate(context) : null
  }
}

/** What an item adds to the names of a loop's body: no more than the body reads, however much there is of it. */
function membersOf(item: Value, { members, isClosed }: EachPart): Readonly<Record<string, Value>> {
  const found: [string, Value][] = []
  for (const name of members) {
    if (isObject(item) && Object.hasOwn(item, name)) found.push([name, item[name] ?? null])
    else if (isClosed) found.push([name, null])
  }
  return Object.fromEntries(found)
}
