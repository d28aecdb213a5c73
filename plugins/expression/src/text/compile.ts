import { nearest } from '@svc/kernel'
import type { Node } from '../syntax/ast.ts'
import { compileTree, type Expression } from '../expression.ts'
import { didYouMean, errorAt, ExpressionError, type Fault, warningAt } from '../fault.ts'
import { parseExpression, parsePiped, type WrittenPipe } from '../syntax/parse.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { knownNames } from '../names.ts'
import { doubledFaults } from './doubled.ts'
import { TEXT_LIMITS } from './limits.ts'
import { withoutTagLines } from './lines.ts'
import { membersAmong, nameFault, namesIn, vocabularyOfItems } from './loop.ts'
import { type AppliedPipe, pipeFault, type Pipes } from './pipe.ts'
import type { Piece } from './scan.ts'
import { type Placed, piecesOf, readTag } from './tags.ts'
import type { Branch, EachPart, IfPart, MarkPart, Part, ValuePart } from './tree.ts'

/** A text that was read, checked and compiled for one place; what is put in is the matter of whoever fills it. */
export interface TextTree {
  readonly parts: readonly Part[]
  /** Everything that is evaluated when it is filled, in the order of the text. */
  readonly expressions: readonly Expression[]
  readonly warnings: readonly Fault[]
}

/**
 * Reads a text into its tree. `marks` are words that mean something in this place, before all names. Throws ExpressionError
 * with everything that is wrong with it there.
 */
export function compileParts(
  source: string,
  vocabulary: Vocabulary,
  pipes: Pipes,
  marks: ReadonlySet<string> = NO_MARKS,
): TextTree {
  const compiler = new TextCompiler(withoutTagLines(piecesOf(source)), pipes, marks)
  const parts = compiler.whole(vocabulary)
  compiler.refuse()
  const isKnown = (name: string) =>
    knownNames(name.startsWith('$') ? 'variable' : 'name', vocabulary).includes(name)
  const warnings = [...compiler.warnings, ...doubledFaults(source, isKnown)]
  const { expressions } = compiler
  return Object.freeze({ parts, expressions, warnings: warnings.slice(0, MOST_FAULTS) })
}

const NO_MARKS: ReadonlySet<string> = new Set()

/** Nobody reads more: a text with so many is read no further. */
const MOST_FAULTS = 20

class TextCompiler {
  readonly warnings: Fault[] = []
  readonly expressions: Expression[] = []
  readonly #errors: Fault[] = []
  readonly #pieces: readonly Piece[]
  readonly #pipes: Pipes
  readonly #marks: ReadonlySet<string>
  #at = 0
  #level = 0

  constructor(pieces: readonly Piece[], pipes: Pipes, marks: ReadonlySet<string>) {
    this.#pieces = pieces
    this.#pipes = pipes
    this.#marks = marks
  }

  whole(vocabulary: Vocabulary): readonly Part[] {
    const all: Part[] = []
    for (;;) {
      const [parts, end] = this.#parts(vocabulary)
      for (const part of parts) all.push(part)
      if (end === undefined) return all
      this.#strayed(end)
    }
  }

  /** Throws what was wrong, if something was. */
  refuse(): void {
    if (this.#errors.length > 0) throw new ExpressionError(this.#errors.slice(0, MOST_FAULTS))
  }

  #report(...faults: readonly Fault[]): void {
    for (const fault of faults) (fault.severity === 'error' ? this.#errors : this.warnings).push(fault)
    if (this.#errors.length >= MOST_FAULTS) this.refuse()
  }

  /** Parts up to a tag that belongs to whatever is around them, which is taken; undefined: to the text's end. */
  #parts(vocabulary: Vocabulary): readonly [readonly Part[], Placed | undefined] {
    const parts: Part[] = []
    for (let piece = this.#next(); piece !== undefined; piece = this.#next()) {
      if (piece.kind === 'words') {
        parts.push(piece)
        continue
      }
      const tag = readTag(piece)
      if (tag.kind === 'value') this.#add(parts, this.#value(tag, vocabulary))
      else if (tag.kind === 'each')
        this.#add(
          parts,
          this.#nested(tag, () => this.#each(tag, vocabulary)),
        )
      else if (tag.kind === 'if')
        this.#add(
          parts,
          this.#nested(tag, () => this.#if(tag, vocabulary)),
        )
      else return [parts, tag]
    }
    return [parts, undefined]
  }

  #next(): Piece | undefined {
    return this.#pieces[this.#at++]
  }

  #add(parts: Part[], part: Part | undefined): void {
    if (part) parts.push(part)
  }

  #nested<T>({ offset }: Placed, read: () => T): T {
    if (++this.#level > TEXT_LIMITS.levels)
      throw new ExpressionError([errorAt(offset, `blocks stand ${TEXT_LIMITS.levels} deep at most`)])
    const made = read()
    this.#level--
    return made
  }

  #value({ source, at, offset }: Placed<'value'>, vocabulary: Vocabulary): ValuePart | MarkPart | undefined {
    if (this.#marks.has(source)) return { kind: 'mark', offset, name: source }
    const read = this.#orFault(at, () => parsePiped(source), unread)
    const value = read && this.#compiled(source, read.ast, at, vocabulary)
    const pipes = read?.pipes.map((pipe) => this.#pipe(pipe, source, at, vocabulary)) ?? []
    const known = pipes.filter((pipe) => pipe !== undefined)
    return value && known.length === pipes.length ? { kind: 'value', offset, value, pipes: known } : undefined
  }

  #pipe(
    { name, args, offset }: WrittenPipe,
    source: string,
    at: number,
    vocabulary: Vocabulary,
  ): AppliedPipe | undefined {
    const pipe = this.#pipes.get(name)
    const values = args.map((arg) => this.#compiled(source, arg, at, vocabulary))
    if (pipe === undefined) {
      const hint = didYouMean(nearest(name, this.#pipes.keys()))
      this.#report(errorAt(at + offset, `there is no pipe '${name}'`, hint))
      return undefined
    }
    const fault = pipeFault(name, pipe, args)
    if (fault) this.#report(errorAt(at + (fault.at?.offset ?? offset), fault.message, fault.hint))
    const compiled = values.filter((one) => one !== undefined)
    return compiled.length === values.length ? { name, pipe, args: compiled } : undefined
  }

  #each(tag: Placed<'each'>, vocabulary: Vocabulary): EachPart | undefined {
    const list = this.#expression(tag, vocabulary)
    if (list && !['list', 'unknown', 'null'].includes(list.kind))
      this.#report(errorAt(tag.at, `a loop goes through a list, and this is ${list.kind}`))
    const misnamed = nameFault(tag.as, tag.offset)
    if (misnamed) this.#report(misnamed)
    const inside = vocabularyOfItems(vocabulary, list ?? UNKNOWN, tag.as)
    const before = this.expressions.length
    const [body, next] = this.#parts(inside)
    const named = namesIn(this.expressions.slice(before))
    const tags = [tag.offset]
    let end = next
    let otherwise: readonly Part[] = []
    if (end?.kind === 'else') {
      tags.push(end.offset)
      ;[otherwise, end] = this.#parts(vocabulary)
    }
    this.#closed(tag, 'endEach', end)
    if (end) tags.push(end.offset)
    return list && { kind: 'each', tags, list, as: tag.as, ...membersAmong(named, list), body, otherwise }
  }

  #if(tag: Placed<'if'>, vocabulary: Vocabulary): IfPart {
    const branches: Branch[] = []
    const tags: number[] = []
    let end: Placed | undefined = tag
    for (let at: Placed<'if' | 'elseIf'> | undefined = tag; at !== undefined;) {
      tags.push(at.offset)
      const condition = this.#condition(at, vocabulary)
      const [body, next] = this.#parts(vocabulary)
      if (condition) branches.push({ condition, body })
      end = next
      at = next?.kind === 'elseIf' ? next : undefined
    }
    let otherwise: readonly Part[] = []
    if (end?.kind === 'else') {
      tags.push(end.offset)
      ;[otherwise, end] = this.#parts(vocabulary)
    }
    this.#closed(tag, 'endIf', end)
    if (end) tags.push(end.offset)
    return { kind: 'if', tags, branches, otherwise }
  }

  #condition(tag: Placed<'if' | 'elseIf'>, vocabulary: Vocabulary): Expression | undefined {
    const condition = this.#expression(tag, vocabulary)
    if (condition && !['boolean', 'unknown'].includes(condition.kind))
      this.#report(warningAt(tag.at, `this gives ${condition.kind} and is never true`, 'write a comparison'))
    return condition
  }

  /** A block that is closed by something else than its own end ends there. */
  #closed(tag: Placed<'each' | 'if'>, end: 'endEach' | 'endIf', found: Placed | undefined): void {
    if (found?.kind === end) return
    const closing = end === 'endEach' ? '{/each}' : '{/if}'
    this.#report(errorAt(tag.offset, 'this block is left open', `close it by ${closing}`))
    if (found) this.#strayed(found)
  }

  #strayed(tag: Placed): void {
    if (tag.kind === 'unknown')
      this.#report(errorAt(tag.offset, `${tag.written} means nothing`, didYouMean(tag.meant)))
    else this.#report(errorAt(tag.offset, 'this belongs to no open block', 'remove it, or open its block'))
  }

  #expression(
    { source, at }: Placed<'each' | 'if' | 'elseIf'>,
    vocabulary: Vocabulary,
  ): Expression | undefined {
    const ast = this.#orFault(at, () => parseExpression(source), unread)
    return ast && this.#compiled(source, ast, at, vocabulary)
  }

  /** An expression that was read out of the text at `at`. */
  #compiled(source: string, ast: Node, at: number, vocabulary: Vocabulary): Expression | undefined {
    const expression = this.#orFault(at, () => compileTree(source, ast, vocabulary))
    if (expression === undefined) return undefined
    this.expressions.push(expression)
    this.#report(...expression.warnings.map((fault) => moved(fault, at)))
    return expression
  }

  #orFault<T>(at: number, read: () => T, told = (fault: Fault): Fault => fault): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      this.#report(...error.faults.map((fault) => told(moved(fault, at))))
      return undefined
    }
  }
}

const UNKNOWN = { shape: undefined }

/** A fault of an expression, as one of the text in which it stands. */
const moved = (fault: Fault, by: number): Fault => ({ ...fault, offset: fault.offset + by })

/** What cannot be read may be meant as it stands. */
const unread = (fault: Fault): Fault => ({ hint: 'write {{ where a brace is meant', ...fault })
