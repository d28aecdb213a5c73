import { MAX_ENTRIES, MAX_LINE, MAX_SIZE, MAX_VALUES, TOO_LONG } from './limits.ts'

/** Why a text is refused unread, and the line that shows it. */
export interface Refusal {
  readonly message: string
  readonly line: number
}

/**
 * Judges a text by its outline, in one pass and before any parser: its size, how many marks part one value from
 * the next, and how many lines stand side by side. Lines of text blocks (`|` and `>`) are no entries.
 */
export function judgeOutline(text: string): Refusal | undefined {
  if (text.length > MAX_SIZE || Buffer.byteLength(text) > MAX_SIZE)
    return { message: 'The text is larger than 5 MiB', line: 1 }
  if (partingMarks(text) > MAX_VALUES)
    return { message: `The text holds more than ${MAX_VALUES} values`, line: 1 }
  // JSON has its own reader, which takes long lines and stops at long lists by itself.
  return /^\s*[[{]/.test(text) ? undefined : judgeLines(text)
}

/** Counts line breaks, commas and opening brackets: a value needs at least one of them before the next. */
function partingMarks(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a || code === 0x0d || code === 0x2c || code === 0x5b || code === 0x7b) count++
  }
  return count
}

/** A level of indentation that is open, with the lines that stand on it. */
interface Level {
  readonly indent: number
  lines: number
}

const LINE = /^( *)([^\s#].*)$/gm
const OPENS_TEXT = /[|>][-+0-9]*[ \t]*(?:#.*)?$/

/** Refuses the first line that is too long, or that has more than `MAX_ENTRIES` beside it under one and the same line. */
function judgeLines(text: string): Refusal | undefined {
  const levels: Level[] = []
  const refusal = (message: string, at: number) => ({ message, line: text.slice(0, at).split('\n').length })
  let textAbove: number | undefined
  for (const { index, 1: spaces = '', 2: content = '' } of text.matchAll(LINE)) {
    const indent = spaces.length
    if (content.length > MAX_LINE) return refusal(`A line has more than ${MAX_LINE} characters`, index)
    if (textAbove !== undefined && indent > textAbove) continue
    textAbove = OPENS_TEXT.test(content) ? indent : undefined
    while ((levels.at(-1)?.indent ?? -1) > indent) levels.pop()
    const level = levels.at(-1)
    if (level?.indent !== indent) levels.push({ indent, lines: 1 })
    // Keys and the items of a list in one of them may stand on one level.
    else if (++level.lines > 2 * MAX_ENTRIES) return refusal(TOO_LONG, index)
  }
  return undefined
}
