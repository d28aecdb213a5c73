import type { Value } from '@svc/store/contract'
import type { EvaluationContext, Vocabulary } from '../vocabulary.ts'
import { compileParts, type TextTree } from './compile.ts'
import { type Filling, fillParts, type TextOutput } from './fill.ts'
import { TEXT_LIMITS, TextLimitError } from './limits.ts'
import { PLAIN_PIPES } from './pipes/index.ts'
import { wordsOf } from '../words.ts'

/** A text that becomes plain text. */
export interface Template extends TextTree {
  readonly source: string
  /**
   * The text with its values, in one pass: what a value holds is never read again. It never throws: past a limit it ends in
   * `…`.
   */
  fill(context: EvaluationContext, filling: Filling): string
}

/** Makes a template of a text. Throws ExpressionError with everything that is wrong with it in this place. */
export function compileTemplate(source: string, vocabulary: Vocabulary): Template {
  const tree = compileParts(source, vocabulary, PLAIN_PIPES)
  return Object.freeze({
    source,
    ...tree,
    fill: (context, filling) => filled(tree, context, filling),
  } satisfies Template)
}

function filled({ parts }: TextTree, context: EvaluationContext, filling: Filling): string {
  const output = new PlainText(filling.writes)
  try {
    fillParts(parts, context, filling, output)
  } catch (error) {
    if (!(error instanceof TextLimitError)) throw error
    return `${output.text}…`
  }
  return output.text
}

class PlainText implements TextOutput {
  text = ''
  #left: number = TEXT_LIMITS.bytes
  readonly #writes: NonNullable<Filling['writes']>

  constructor(writes: Filling['writes'] = (text) => text) {
    this.#writes = writes
  }

  words(text: string): void {
    this.#left -= Buffer.byteLength(text)
    if (this.#left < 0) throw new TextLimitError('bytes')
    this.text += text
  }

  value(value: Value): void {
    this.words(this.#writes(wordsOf(value)))
  }
}
