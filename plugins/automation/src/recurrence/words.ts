import { didYouMean, RecurrenceFault } from './fault.ts'

type Kind = 'word' | 'number' | 'ordinal' | 'time' | 'date' | 'comma' | 'other'

interface Token {
  readonly kind: Kind
  /** In lower case. */
  readonly text: string
  readonly position: number
}

const FORMS =
  /(?<date>\d{4}-\d{1,2}-\d{1,2}(?!\d))|(?<time>\d{0,2}:\d*(?::\d*)?)|(?<ordinal>\d+(?:st|nd|rd|th)\b)|(?<number>\d+)|(?<word>[a-z]+)|(?<comma>,)|(?<other>[^\s])/gi

/** The words of a recurrence, read one after the other. */
export class Words {
  readonly #tokens: readonly Token[]
  readonly #end: number
  #at = 0

  constructor(text: string) {
    this.#tokens = [...text.matchAll(FORMS)].map(tokenOf)
    this.#end = text.length
  }

  /** Where the next word begins. */
  get position(): number {
    return this.#tokens[this.#at]?.position ?? this.#end
  }

  /** Whether nothing is left. */
  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length
  }

  /** Reads the next word if it is this one. */
  accept(word: string): boolean {
    if (this.#tokens[this.#at]?.text !== word) return false
    this.#at += 1
    return true
  }

  /** Reads the next word if it is of a kind; undefined where it is not. */
  take(kind: Kind): string | undefined {
    const token = this.#tokens[this.#at]
    if (token?.kind !== kind) return undefined
    this.#at += 1
    return token.text
  }

  /** Reads one of the known words, and answers what it stands for. */
  oneOf<T>(known: ReadonlyMap<string, T>, what: string): T {
    const { position } = this
    const text = this.#tokens[this.#at]?.text
    const found = text === undefined ? undefined : known.get(text)
    if (found === undefined)
      throw this.fault(`expected ${what}`, didYouMean(text ?? '', known.keys()), position)
    this.#at += 1
    return found
  }

  /** That something else was expected here. */
  fault(expected: string, hint?: string, position = this.position): RecurrenceFault {
    const token = this.#tokens.find((one) => one.position === position)
    const found = token === undefined ? 'but the text ends' : `but found '${token.text.slice(0, 30)}'`
    return new RecurrenceFault(`${expected}, ${found}`, position, hint)
  }

  /** Throws where something is left. */
  end(expected = 'expected the end'): void {
    if (this.isAtEnd) return
    const text = this.#tokens[this.#at]?.text ?? ''
    throw this.fault(expected, didYouMean(text, ['at', 'on', 'starting', 'and']))
  }
}

function tokenOf(match: RegExpExecArray): Token {
  const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? []
  return { kind: isKind(kind) ? kind : 'other', text: match[0].toLowerCase(), position: match.index }
}

const KINDS: readonly string[] = ['word', 'number', 'ordinal', 'time', 'date', 'comma'] satisfies Kind[]
const isKind = (kind: string | undefined): kind is Kind => kind !== undefined && KINDS.includes(kind)
