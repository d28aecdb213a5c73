import { integerType } from './number-type.ts'

/** A whole number, exact to 2^53-1. */
export const integer = integerType({ name: 'integer', aliases: ['int'] })
