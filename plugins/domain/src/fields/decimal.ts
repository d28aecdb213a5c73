import { decimalType } from './number-type.ts'

/** A number kept digit by digit; `scale` bounds the digits after the point. */
export const decimal = decimalType({ name: 'decimal', aliases: ['number'] })
