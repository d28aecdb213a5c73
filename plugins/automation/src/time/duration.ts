import { nearest } from '@svc/kernel'
import type { Path, Site } from '@svc/domain/contract'
import { z } from 'zod'

const SECOND = 1000
const DAY = 86_400 * SECOND

/** The units by how long they are, in milliseconds; a month and a year are compared as 30 and 365 days. */
const UNITS = {
  ms: 1,
  s: SECOND,
  m: 60 * SECOND,
  h: 3600 * SECOND,
  d: DAY,
  w: 7 * DAY,
  mo: 30 * DAY,
  y: 365 * DAY,
} as const

export type DurationUnit = keyof typeof UNITS

/** A length of time as a definition writes it: a whole number and a unit. */
export interface Duration {
  readonly written: string
  readonly amount: number
  readonly unit: DurationUnit
  /** How long it is by the clock; of months and years, which only a calendar can tell, about. */
  readonly ms: number
}

/** What a duration may be where it stands. */
export interface DurationBounds {
  /** The shortest, and the longest: as they are written. */
  readonly least: string
  readonly most: string
  /** Whether it may point backwards, or be nothing at all: an offset. */
  readonly signed?: boolean
}

/** From a second to ten years: what rules, workflows and schedules wait. */
export const AUTOMATION_BOUNDS: DurationBounds = { least: '1s', most: '3650d' }
/** The same, before or after a moment. */
export const OFFSET_BOUNDS: DurationBounds = { ...AUTOMATION_BOUNDS, signed: true }

/** A duration in the schema of a key; `compileDuration` judges it. */
export const DurationText = z
  .string({ error: 'must be a duration, such as 90s, 48h or 30d' })
  .meta({ id: 'Duration', pattern: '^-?\\d+(ms|s|m|h|d|w|mo|y)$', examples: ['90s', '30m', '48h', '30d'] })

/** What is wrong with a text that should be a duration, and what would be right. */
export interface DurationFault {
  readonly message: string
  readonly hint?: string
}

const FORM = /^(-?)(\d{1,15})(ms|mo|s|m|h|d|w|y)$/

/** Reads a duration, or says why it is none. */
export function readDuration(
  written: string,
  bounds: DurationBounds = AUTOMATION_BOUNDS,
): Duration | DurationFault {
  const [, sign = '', digits = '', unit] = FORM.exec(written) ?? []
  if (!isUnit(unit)) return { message: `${quoted(written)} is no duration`, hint: hintFor(written) }
  const amount = Number(digits) * (sign === '-' ? -1 : 1)
  const duration = { written, amount: amount === 0 ? 0 : amount, unit, ms: amount * UNITS[unit] }
  return boundsFault(duration, bounds) ?? duration
}

/** The same of what stands in a definition: what is wrong is reported, and undefined answered. */
export function compileDuration(
  written: string,
  path: Path,
  site: Pick<Site, 'problem'>,
  bounds: DurationBounds = AUTOMATION_BOUNDS,
): Duration | undefined {
  const read = readDuration(written, bounds)
  if ('ms' in read) return read
  site.problem(path, read.message, read.hint)
  return undefined
}

function boundsFault({ written, amount, ms }: Duration, bounds: DurationBounds): DurationFault | undefined {
  const { least, most, signed = false } = bounds
  if (amount === 0 && signed) return undefined
  if (amount <= 0 && !signed)
    return { message: `${quoted(written)} is not above zero`, hint: `Write ${least} or more` }
  if (Math.abs(ms) >= lengthOf(least) && Math.abs(ms) <= lengthOf(most)) return undefined
  return {
    message: `${quoted(written)} is out of bounds`,
    hint: `Write something between ${least} and ${most}${signed ? ', before or after' : ''}`,
  }
}

/** How long a bound is. */
function lengthOf(bound: string): number {
  const [, , digits = '', unit] = FORM.exec(bound) ?? []
  if (!isUnit(unit)) throw new Error(`'${bound}' is no bound of a duration`)
  return Number(digits) * UNITS[unit]
}

const isUnit = (unit: string | undefined): unit is DurationUnit =>
  unit !== undefined && Object.hasOwn(UNITS, unit)

const WORDS: Readonly<Record<string, DurationUnit>> = {
  milliseconds: 'ms',
  millis: 'ms',
  seconds: 's',
  secs: 's',
  minutes: 'm',
  mins: 'm',
  hours: 'h',
  hrs: 'h',
  days: 'd',
  weeks: 'w',
  months: 'mo',
  years: 'y',
}
const PLAIN_HINT = 'Write a whole number and one of ms, s, m, h, d, w, mo and y, such as 48h'

/** What the author probably meant: `90 dyas` is `90d`. */
function hintFor(written: string): string {
  const [, number, word = ''] = /^\s*(?:every\s+)?(-?\d{1,15})\s*([A-Za-z]*)\s*$/i.exec(written) ?? []
  if (number === undefined) return PLAIN_HINT
  const unit = unitOf(word)
  return unit === undefined ? `${PLAIN_HINT}: ${number}d, say` : `Did you mean ${number}${unit}?`
}

function unitOf(word: string): DurationUnit | undefined {
  const lower = word.toLowerCase()
  if (lower === '') return undefined
  if (isUnit(lower)) return lower
  const plural = lower.endsWith('s') ? lower : `${lower}s`
  const meant = nearest(plural, Object.keys(WORDS))
  return meant === undefined ? undefined : WORDS[meant]
}

const quoted = (text: string): string => `'${text.length > 40 ? `${text.slice(0, 39)}…` : text}'`
