import { decimalType } from './number-type.ts'

/** An amount of money: two digits after the point unless `scale` says otherwise. */
export const money = decimalType({ name: 'money', scale: 2 })
