/** One text of a file that came back. */
export interface ReadText {
  readonly key: string
  readonly text: string
  /** Where it stands, from 1. */
  readonly line: number
  /** The text that it translates, where the file says so. */
  readonly source?: string | undefined
  /** Its translator has not done with it. */
  readonly isDraft?: boolean
  /** It holds elements that its source has not, and which no text can hold. */
  readonly hasMarkup?: boolean
}

/** A file that came back from translators. */
export interface ReadFile {
  readonly format: 'yaml' | 'xliff' | 'csv'
  /** As the file names it. */
  readonly locale: string
  /** The locale of its sources, where it has any. */
  readonly sourceLocale?: string | undefined
  readonly texts: readonly ReadText[]
}

/** The most texts of one file: an answer may have to name them all. */
const MOST_TEXTS = 100_000

/** A file that cannot be read: why, in a sentence, and on which line. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
  readonly line: number

  constructor(reason: string, line: number) {
    super(reason)
    this.line = line
  }
}

/** Throws Unreadable for one text more than a file may have. */
export function assertRoom(count: number, line: number): void {
  if (count >= MOST_TEXTS) throw new Unreadable(`A file has at most ${MOST_TEXTS} texts`, line)
}
