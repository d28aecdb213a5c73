import type { Value } from '@svc/store/contract'
import { affords, exceeded } from './exceeded.ts'
import { LIMITS } from '../limits.ts'

/** Orders two texts by code point: negative, zero or positive. UTF-16 order differs past U+FFFF. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Surrogates stand for code points past U+FFFF, so they rank after the units from U+E000 on. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** The number of code points. */
export function lengthOf(text: string): number {
  let pairs = 0
  for (let i = 0; i < text.length; i++) if (isHigh(text.charCodeAt(i))) pairs++
  return text.length - pairs
}

/** `length` code points from code point `start` on, or as many as there are. */
export function slice(text: string, start: number, length = Number.POSITIVE_INFINITY): string {
  const from = unitOf(text, 0, start)
  return text.slice(from, unitOf(text, from, length))
}

/** The unit that stands `points` code points after the unit `from`, or the text's end. */
function unitOf(text: string, from: number, points: number): number {
  let unit = from
  for (let left = points; left > 0 && unit < text.length; left--)
    unit += isHigh(text.charCodeAt(unit)) ? 2 : 1
  return Math.min(unit, text.length)
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** A scalar as part of a text; undefined for null, lists and objects. */
export function asText(value: Value): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** The texts one after the other, `separator` between them; null if that grows past the limit. */
export function joinTexts(texts: readonly string[], separator = ''): string | null {
  let length = separator.length * Math.max(0, texts.length - 1)
  for (const text of texts) length += text.length
  return length > LIMITS.text || !affords(length) ? exceeded() : texts.join(separator)
}
