import { type Asker, type Data, labelledFormats, type Locale } from '@svc/domain/contract'
import type { Formats } from '@svc/expression/contract'
import type { Call, Caller } from '@svc/kernel'

/** For whom widgets are worked out. */
export interface WidgetAsking {
  readonly data: Data
  readonly caller: Caller
  readonly call: Call
  readonly asker: Asker
  readonly locale: Locale
  now(): number
}

export type Answer = Readonly<Record<string, unknown>>

export const formatsIn = ({ data, locale }: WidgetAsking): Formats =>
  labelledFormats(data.model, locale, undefined)
