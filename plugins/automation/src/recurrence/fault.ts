import { nearest } from '@svc/kernel'

/** A text that is no recurrence: where it goes wrong, and what was probably meant. */
export class RecurrenceFault extends Error {
  /** Counts characters of the text from 0. */
  readonly position: number
  readonly hint: string | undefined

  constructor(message: string, position: number, hint?: string) {
    super(message)
    this.position = position
    this.hint = hint
  }
}

/** `did you mean days?`, where one of the known words is close enough. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const meant = nearest(word, known)
  return meant === undefined ? undefined : `Did you mean ${meant}?`
}
