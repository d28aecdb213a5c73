import { integerType } from './number-type.ts'

/** A number that the service counts up for each resource, and never gives twice. */
export const autoincrement = integerType({
  name: 'autoincrement',
  generated: true,
  openapi: { readOnly: true },
})
