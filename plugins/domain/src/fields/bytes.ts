import { integerType } from './number-type.ts'

/** A size in bytes. */
export const bytes = integerType({ name: 'bytes', least: 0 })
