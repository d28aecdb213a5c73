import type { Value } from '@svc/store/contract'
import type { Expression } from '../expression.ts'

/** How values are written for a reader: the marks and patterns of a locale, a zone, a currency. */
export interface Formats {
  /** A tag of BCP 47: month and day names are its. */
  readonly locale: string
  /** An IANA zone, in which date-times are written. */
  readonly timezone: string
  /** The decimal mark. */
  readonly decimal: string
  /** What stands between groups of three digits. */
  readonly group: string
  /** The sign of the domain's currency; undefined: amounts are written without one. */
  readonly currency: CurrencySign | undefined
  /** The sign of another currency by its code. */
  readonly currencyOf: (code: string) => CurrencySign
  /** Patterns of Unicode letters (UTS 35). */
  readonly patterns: Readonly<Record<'date' | 'time' | 'datetime', string>>
  readonly yes: string
  readonly no: string
  /** The label of a value that an expression gives, where that is one of an enumeration. */
  readonly labelOf?: ((of: Expression, value: Value) => string | undefined) | undefined
}

/** How a currency is written. */
export interface CurrencySign {
  readonly sign: string
  /** Whether the sign stands behind the number. */
  readonly isAfter: boolean
}
