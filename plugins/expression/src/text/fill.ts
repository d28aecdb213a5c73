import type { Value } from '@svc/store/contract'
import type { Expression } from '../expression.ts'
import type { Formats } from '../formats/formats.ts'
import { readArguments } from '../functions/parameter.ts'
import { isList, isObject } from '../values/kind.ts'
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
  value(value: Value, made: Made | undefined): void
  /** A word that the place gave a meaning. */
  mark?(name: string): void
}

/** What a pipe makes of a value besides text, and what stood behind its colon. */
export interface Made {
  readonly what: string
  readonly args: readonly Value[]
}

/** How a text is filled. */
export interface Filling {
  readonly formats: Formats
  /** Whether the value of an expression may be told to whoever reads the text; one that may not is null. All unless said. */
  readonly shows?: ((expression: Expression) => boolean) | undefined
  /** How plain text writes what is put in: as it is unless said. */
  readonly writes?: ((text: string) => string) | undefined
}

/** Fills a text's parts in one pass. Throws TextLimitError. */
export function fillParts(
  parts: readonly Part[],
  context: EvaluationContext,
  filling: Filling,
  output: TextOutput,
): void {
  const filler = createFiller(filling)
  const fill = (some: readonly Part[], within: EvaluationContext): void => {
    for (const part of some) {
      if (part.kind === 'words') output.words(part.text)
      else if (part.kind === 'mark') output.mark?.(part.name)
      else if (part.kind === 'value') {
        const { value, made } = filler.value(part, within)
        output.value(value, made)
      } else if (part.kind === 'if') fill(branchOf(part, filler.branch(part, within)), within)
      else {
        let passes = 0
        for (const pass of filler.passes(part, within)) {
          passes++
          fill(part.body, pass)
        }
        if (passes === 0) fill(part.otherwise, within)
      }
    }
  }
  fill(parts, context)
}

const branchOf = ({ branches, otherwise }: IfPart, met: number): readonly Part[] =>
  branches[met]?.body ?? otherwise

/** What a text asks while it is filled, for those who keep its parts in trees of their own. Its limits are those of one text. */
export interface Filler {
  /** What is put in: the value behind its pipes, and what the last pipe that says so makes. */
  value(
    part: ValuePart,
    context: EvaluationContext,
  ): { readonly value: Value; readonly made: Made | undefined }
  /** With what the body is filled, item by item; nothing: there is none. Throws TextLimitError. */
  passes(part: EachPart, context: EvaluationContext): Iterable<EvaluationContext>
  /** Which branch holds, counted from 0; -1: none. */
  branch(part: IfPart, context: EvaluationContext): number
}

/** Makes the filler of one text. */
export function createFiller({ formats, shows }: Filling): Filler {
  let passed = 0
  const evaluate = (expression: Expression, context: EvaluationContext): Value =>
    shows === undefined || shows(expression) ? expression.evaluate(context) : null

  const piped = (value: Value, { pipe }: AppliedPipe, args: readonly Value[], of: Expression) =>
    args.length > 0 && readArguments(pipe.takes, args) === undefined
      ? undefined
      : pipe.apply(value, args, { formats, of })

  return {
    value({ value, pipes }, context) {
      let made: Made | undefined
      let present = evaluate(value, context)
      for (const applied of pipes) {
        const { pipe } = applied
        if (present === null && pipe.takesNull !== true) continue
        const args = applied.args.map((arg) => evaluate(arg, context))
        const changed = piped(present, applied, args, value)
        if (changed === undefined) continue
        present = changed
        if (pipe.makes !== undefined) made = { what: pipe.makes, args }
      }
      return { value: present, made }
    },
    *passes(part, context) {
      const value = evaluate(part.list, context)
      const items = isList(value) ? value : []
      for (const [at, item] of items.entries()) {
        if (++passed > TEXT_LIMITS.passes) throw new TextLimitError('passes')
        yield { ...context, names: { ...context.names, ...namesOf(item, part, at, items.length) } }
      }
    },
    branch: ({ branches }, context) =>
      branches.findIndex(({ condition }) => evaluate(condition, context) === true),
  }
}

/** The names of one pass. */
const namesOf = (
  item: Value,
  part: EachPart,
  at: number,
  count: number,
): Readonly<Record<string, Value>> => ({
  ...membersOf(item, part),
  ...(part.as !== undefined && { [part.as]: item }),
  [LOOP]: { index: at + 1, first: at === 0, last: at === count - 1, count },
})

/** What an item adds to the names of a loop's body: no more than the body reads, however much there is of it. */
function membersOf(item: Value, { members, isClosed }: EachPart): Readonly<Record<string, Value>> {
  const found: [string, Value][] = []
  for (const name of members) {
    if (isObject(item) && Object.hasOwn(item, name)) found.push([name, item[name] ?? null])
    else if (isClosed) found.push([name, null])
  }
  return Object.fromEntries(found)
}
