import { DATE_FORMATS } from './dates.ts'
import type { Format } from './format.ts'
import { NUMBER_FORMATS } from './numbers.ts'
import { WORD_FORMATS } from './words.ts'

/** Every format by its name. */
export const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>(
  Object.entries({ ...WORD_FORMATS, ...NUMBER_FORMATS, ...DATE_FORMATS }),
)
