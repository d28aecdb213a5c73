import { workOutAll } from '../present/formulas.ts'
import type { Change } from './change.ts'

/** Works out the formulas that are stored, from the whole record as it will be. */
export function computeStored({ resource, previous, values, access }: Change): void {
  const stored = resource.computed.filter(({ computed }) => computed.stored)
  if (stored.length === 0) return
  const record = workOutAll({ ...previous, ...values }, access)
  for (const { name } of stored) values[name] = record[name] ?? null
}
