import { batches, type Move, type Resource } from '@svc/domain/contract'
import type { Transaction } from '@svc/store/contract'
import { idsIn, mediaFieldsOf } from '../fields/referring.ts'
import { references } from '../tables.ts'
import { addReferences, known, ofResource } from './rows.ts'

/** Makes the references of resources anew from their records, under the names that these have now. */
export async function renewReferences(
  domain: string,
  moves: readonly Move[],
  transaction: Transaction,
): Promise<void> {
  const names = new Set(moves.flatMap(({ from, to }) => [from?.name ?? [], to?.name ?? []].flat()))
  for (const name of names) await transaction.remove({ table: references, where: ofResource(domain, name) })
  for (const { to } of moves) if (to !== undefined) await gather(domain, to, transaction)
}

async function gather(domain: string, resource: Resource, transaction: Transaction): Promise<void> {
  const fields = mediaFieldsOf(resource)
  if (fields.length === 0) return
  const columns = fields.flatMap(({ column }) => column ?? [])
  for await (const rows of batches(resource.table, columns, { op: 'always' }, transaction)) {
    const referring = rows.flatMap((row) =>
      fields.map((field) => ({
        resource: resource.name,
        recordId: String(row[resource.key.name]),
        field: field.name,
        ids: [...idsIn(row, field)],
      })),
    )
    await addReferences(domain, await known(domain, referring, transaction), transaction)
  }
}
