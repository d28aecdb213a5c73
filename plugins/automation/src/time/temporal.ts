import { Temporal as Polyfill } from 'temporal-polyfill'

const host: Pick<typeof globalThis, 'Date'> & { readonly Temporal?: typeof Polyfill } = globalThis

/** Calendars, clocks and time zones: those of the engine where it has them. Nothing else knows where they come from. */
export const Temporal: typeof Polyfill = host.Temporal ?? Polyfill

export type PlainDate = Polyfill.PlainDate
export type PlainTime = Polyfill.PlainTime
export type PlainDateTime = Polyfill.PlainDateTime
export type ZonedDateTime = Polyfill.ZonedDateTime
