import type {
  BindRows,
  EvaluationContext,
  Expression,
  ExpressionFunction,
  Fault,
  Kind,
  Known,
  Vocabulary,
} from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import type { Path, Problem } from '../definition/problem.ts'
import type { Secret } from '../model/definition-variables.ts'
import type { Model } from '../model/model.ts'
import type { Text } from '../definition/schema/text.ts'
import type { Resource } from '../model/resource.ts'
import type { Locale } from '../speech/speech.ts'
import type { BlockKey } from './key.ts'

/** The place where a block stands, as long as it is compiled. Paths lead on from its key. */
export interface Site {
  /**
   * The very model that will be in force if this one ever is. While blocks are compiled, `parts` has those of the
   * earlier keys; the rest is complete and frozen, and resources and fields may be kept by identity.
   */
  readonly model: Model
  /** Reports a mistake, which keeps the definition from being used. */
  problem(path: Path, message: string, hint?: string): void
  /**
   * Reports a mistake that keeps the definition from being put in force, and not from staying so: for what an older release may
   * have accepted, where all that is compiled, the tables above all, is what it was then. The log warns of it at every start.
   */
  judgement(path: Path, message: string, hint?: string): void
  /** Reports something that means nothing, or hardly what its author wanted. */
  warning(path: Path, message: string, hint?: string): void
  /** Compiles an expression; undefined where it was reported as wrong. */
  expression(source: string, path: Path, speech: Speech): Expression | undefined
  /**
   * A text, under the key by which locale files know it, such as `history.Order.paid.label`, also where nothing is written
   * there: what the localizer chooses by is what is answered here.
   */
  named(key: string, written: Text | undefined): Text
  /**
   * Compiles a text for people, in all its locales, by the text language; undefined where it was reported as wrong. Under
   * `key`, such as `notifications.templates.rules.late.subject`, locale files may say it otherwise.
   */
  text(written: Text, path: Path, speech: Speech, key?: string): LocalText | undefined
  /**
   * Compiles what `read` reads, such as the body of a document, with what may be named there. `read` throws ExpressionError:
   * each fault is reported with its line and character in the source. Undefined where it was.
   */
  compiled<T extends { readonly warnings: readonly Fault[] }>(
    source: string,
    path: Path,
    speech: Speech,
    read: (source: string, vocabulary: Vocabulary) => T,
  ): T | undefined
  /**
   * Compiles a value: `$name…` and `$(…)` are expressions and keep their type, `$$` at the start writes `$`, other text is
   * read as `text` reads it, lists and maps are walked, all else stands for itself. Undefined where it was reported.
   */
  value(written: unknown, path: Path, speech: Speech): CompiledValue | undefined
  /** Compiles a condition by which the store picks records; undefined where it was reported, as what SQL cannot say is. */
  rows(source: string, path: Path, speech: RowSpeech): RowCondition | undefined
  /** Reports an icon, `<set>:<name>`, of a set that the definition declares and that does not have it. */
  icon(written: string | undefined, path: Path): void
  /**
   * What the block of an earlier key has made for the domain, or for `resource`; undefined where it made nothing.
   * Throws where this block does not say that it comes after that key.
   */
  made<M>(key: BlockKey<M>, resource?: Resource): M | undefined
  /**
   * The same place for a text that the definition does not hold, such as what it held once: it may be compiled at any time,
   * against this model, and what is wrong with it is told nobody else. It is handed over as it was written.
   */
  apart(written?: unknown): ApartSite
  /**
   * What stands at a path as its author wrote it, `${VAR}` for what a variable holds: the form in which something of a
   * definition may be kept in a table, or shown. `model.variables` fills it when it is used.
   */
  written(path: Path): unknown
  /**
   * A value that was made of what stands at a path, for whoever asks what the definition says: its texts that read
   * variables stand as they are written.
   */
  asWritten<T>(path: Path, value: T): T
  /**
   * The secret at a path; undefined where nothing is written. Anything but one variable is reported as a mistake, and a
   * variable that is not set as a warning. From now on its value is hidden wherever the server logs, shows or keeps something.
   */
  secret(path: Path): Secret | undefined
  /** Hides in the same way the values of the variables in every text at and below a path, which may hold more than them. */
  hide(path: Path): void
}

/** A place with problems of its own. */
export interface ApartSite extends Site {
  /** What was found wrong so far, by paths that lead on from the block's key. */
  readonly problems: readonly Problem[]
  /** What was given as written, with its variables replaced. Paths of this place lead on from its root. */
  readonly filled: unknown
}

/** The place of a block in a resource. */
export interface ResourceSite extends Site {
  readonly resource: Resource
  /** Compiles a condition on a write of the resource's records; undefined where it was reported as wrong. */
  condition(source: string, path: Path): Expression | undefined
  /** Whether a feature that some block owns is on. */
  feature(name: string): boolean
}

/** What an expression may speak of, besides the caller (`user`), `op` and the time. */
export interface Speech {
  /** The resource whose record it speaks of, by bare names and as `record`; none unless said. */
  readonly resource?: Resource
  /** `write` is a write that is done, or all but done: `previous` is the record before it. */
  readonly moment: 'read' | 'write'
  /** Bare names that come before the record's fields. */
  readonly names?: ReadonlyMap<string, Known>
  /** Further bare names; a field of the same name comes first. */
  readonly parameters?: ReadonlyMap<string, Known>
  /** Names after `$`, with what is known of their values: `recordShape(resource)` is a record, a text a kind. */
  readonly variables?: ReadonlyMap<string, Known>
  /** Functions of this place alone; those of the language come first. */
  readonly functions?: ReadonlyMap<string, ExpressionFunction>
  /** The kind of value that is wanted: one that is known to be of another kind is a warning. */
  readonly kind?: Kind
}

/** What a condition on rows may speak of. */
export type RowSpeech = Omit<Speech, 'kind' | 'resource'> & { readonly resource: Resource }

/** A condition with its meaning for the store. */
export interface RowCondition extends Expression {
  /** The condition for one caller, time, parameters and variables; a walk over the tree, for each request. */
  readonly rows: BindRows
}

/** A text in the locales that it is written in, compiled. */
export interface LocalText {
  readonly written: Text
  /** Everything that it is filled from: its context has the neighbours that these reach. */
  readonly expressions: readonly Expression[]
  /**
   * The text for a reader of `locale` (the domain's default one unless said), as plain text. What `shows` denies is empty:
   * for a text that somebody reads, context and `shows` are those of `showingTo`. What is put in is written as `writes` makes it, such
   * as escaped for HTML. It never throws.
   */
  fill(
    context: EvaluationContext,
    locale?: Locale,
    shows?: (expression: Expression) => boolean,
    writes?: (text: string) => string,
  ): string
}

/** A value that is worked out when it is needed, compiled. */
export interface CompiledValue {
  readonly written: unknown
  readonly expressions: readonly Expression[]
  /** Whether it stands for itself whatever the context. */
  readonly isConstant: boolean
  /** The value; what `shows` denies, and what cannot be worked out, is null. It never throws. */
  evaluate(context: EvaluationContext, shows?: (expression: Expression) => boolean): Value
}
