import { RE2JS, RE2JSException } from 're2js'
import { affords, exceeded } from './exceeded.ts'
import { LIMITS } from '../limits.ts'

/** A regular expression that takes time in proportion to the text. */
export interface Pattern {
  /** Whether the pattern is found anywhere in the text; null where looking would cost too much. */
  isIn(text: string): boolean | null
}

/** So many steps of a match take as long as to look at one unit of a text. */
const STEPS = 12

/** Compiles a regular expression in the syntax of RE2; answers why not where that fails. */
export function compilePattern(source: string): Pattern | string {
  if (source.length > LIMITS.pattern) return `a pattern has ${LIMITS.pattern} characters at most`
  try {
    return bounded(RE2JS.compile(source))
  } catch (error) {
    if (error instanceof RE2JSException) return error.message
    throw error
  }
}

function bounded(compiled: RE2JS): Pattern | string {
  const size = compiled.programSize()
  if (size > LIMITS.patternProgram) return 'the pattern repeats too much'
  return {
    isIn(text) {
      const steps = text.length * size
      return steps > LIMITS.matchSteps || !affords(steps / STEPS) ? exceeded() : compiled.test(text)
    },
  }
}

/** `/…/` with flags or without, as programs write a pattern. */
const SLASHED = /^\/(.+)\/([dgimsuvy]*)$/s

/** The pattern between slashes that were hardly meant as signs of the text; undefined where they may have been. */
export function patternInSlashes(pattern: string): string | undefined {
  const [, inside = '', flags = ''] = SLASHED.exec(pattern) ?? []
  // A path, such as /users/[0-9]+/, has slashes of its own.
  const isWhole = /^\^|\$$/.test(inside) || !inside.includes('/')
  const isPattern = flags !== '' || /[\^$*+?.()[\]{}|\\]/.test(inside)
  return isWhole && isPattern ? inside : undefined
}
