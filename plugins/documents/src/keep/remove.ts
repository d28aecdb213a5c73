import type { Writes } from '@svc/domain/contract'
import type { Means } from '../means.ts'
import { DOCUMENT, documents, type GeneratedDocument } from '../table.ts'

/** Takes documents away, their bytes with the commit. */
export async function removeDocuments(
  gone: readonly Pick<GeneratedDocument, 'id' | 'storagePath'>[],
  writes: Writes,
  { files }: Pick<Means, 'files'>,
): Promise<number> {
  if (gone.length === 0) return 0
  const where = { op: 'in', column: DOCUMENT.id, values: gone.map(({ id }) => id) } as const
  const count = await writes.remove({ table: documents, where })
  writes.afterCommit(() => {
    for (const { storagePath } of gone) void files.apart.remove(storagePath)
  })
  return count
}
