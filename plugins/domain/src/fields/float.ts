import { floatType } from './number-type.ts'

/** A number kept as a double. */
export const float = floatType({ name: 'float', aliases: ['double'] })
