import { type Duration, readDuration } from '@svc/automation/contract'
import type { Field } from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'

/** What an erase puts in place of a value. */
export type Replacement =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'pseudonym' | 'hash6' | 'preserve' }
  | { readonly kind: 'fuzzyDate'; readonly days: number }

/** Why a rule is none, and what would be right. */
export interface NoReplacement {
  readonly message: string
  readonly hint: string
}

const DAY_MS = 86_400_000
const FUZZY = /^\$fuzzyDate\((.*)\)$/
const FUNCTIONS = '$pseudonym, $hash6, $fuzzyDate(30d) or $preserve'

/** Reads what stands behind the name of a rule. */
export function readReplacement(written: Value): Replacement | NoReplacement {
  if (typeof written !== 'string' || !written.startsWith('$')) return { kind: 'value', value: written }
  if (written === '$pseudonym') return { kind: 'pseudonym' }
  if (written === '$hash6') return { kind: 'hash6' }
  if (written === '$preserve') return { kind: 'preserve' }
  const span = FUZZY.exec(written)?.[1]
  if (span === undefined)
    return { message: `there is no function '${written.slice(0, 60)}'`, hint: `Write ${FUNCTIONS}` }
  const duration: Duration | { message: string; hint?: string } = readDuration(span, {
    least: '1d',
    most: '36500d',
  })
  if ('ms' in duration) return { kind: 'fuzzyDate', days: Math.floor(duration.ms / DAY_MS) }
  return { message: duration.message, hint: duration.hint ?? 'Write $fuzzyDate(30d), say' }
}

const TEXTS: ReadonlySet<string> = new Set(['text', 'uuid'])
const DAYS: ReadonlySet<string> = new Set(['date', 'datetime'])

/** Whether what a rule says fits a field; the reason where it does not. */
export function misfit(
  replacement: Replacement,
  { compiled, unique, enumeration }: Field,
): string | undefined {
  const { type } = compiled
  switch (replacement.kind) {
    case 'preserve':
      return undefined
    case 'fuzzyDate':
      return DAYS.has(type.column) ? undefined : `$fuzzyDate has no form for ${type.name}`
    case 'pseudonym':
      return isText(type.column, enumeration !== undefined)
        ? undefined
        : `$pseudonym has no form for ${type.name}`
    case 'hash6':
      return type.column === 'text' && enumeration === undefined
        ? undefined
        : `$hash6 has no form for ${type.name}`
    case 'value': {
      if (replacement.value === null) return undefined
      if (unique) return 'a value cannot stand for all values of a unique field'
      const checked = compiled.check(replacement.value)
      return 'value' in checked ? undefined : 'the value does not fit the field'
    }
  }
}

const isText = (column: string, isEnumerated: boolean): boolean => TEXTS.has(column) && !isEnumerated
