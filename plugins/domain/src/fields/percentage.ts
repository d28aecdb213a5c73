import { decimalType } from './number-type.ts'

/** A share in hundredths: 50 is a half. */
export const percentage = decimalType({ name: 'percentage' })
