import type { DomainPart, Resource } from '@svc/domain/contract'
import type { Condition, Reader, Row, Transaction } from '@svc/store/contract'
import { privacyErrors } from '../errors.ts'
import { KEPT_FROM, RESTRICTED, RESTRICTION, type Tables } from '../tables.ts'

/** Under what the records of a resource stand that are there no more: no resource is called so. */
export const goneOf = (resource: string): string => `@gone ${resource}`

/** The rows of records that are gone, of somebody: no look for the person's records finds these again. */
export const isGone = (hash: string, resources: Iterable<string>): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: RESTRICTED.subjectHash, value: hash },
    { op: 'in', column: RESTRICTED.resource, values: [...resources].map(goneOf) },
  ],
})

/** Puts the rows of records that are gone under another identifier of the same person. */
export async function moveGone(
  gone: readonly Row[],
  to: string,
  { restricted: table }: Tables,
  writes: Transaction,
): Promise<void> {
  for (const row of gone)
    await writes.insert({ table, values: { ...row, subject_hash: to }, onConflict: 'ignore' })
}

/** Keeps what runs by itself from records of the restricted that are there no more: messages about them may be under way. */
export function createPassingOverGone(
  resources: ReadonlySet<Resource>,
  { restricted: table, restrictions }: Tables,
): NonNullable<DomainPart['passesOverGone']> {
  const isBound: Condition = {
    op: 'exists',
    table: restrictions,
    on: [[RESTRICTION.subjectHash, RESTRICTED.subjectHash]],
    where: { op: 'eq', column: KEPT_FROM.automate, value: true },
  }
  return async (resource, key, reader: Reader) => {
    if (!resources.has(resource)) return undefined
    const where: Condition = {
      op: 'and',
      of: [
        // Inside the transaction that removes it, it may stand among the others still.
        { op: 'in', column: RESTRICTED.resource, values: [resource.name, goneOf(resource.name)] },
        { op: 'eq', column: RESTRICTED.recordId, value: String(key) },
        isBound,
      ],
    }
    const [row] = await reader.select({ table, columns: [RESTRICTED.recordId], where, order: [], limit: 1 })
    return row && privacyErrors.RESTRICTED()
  }
}
