import type { Data } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import { FORMAT_FACTS } from '@svc/render/contract'
import type { Condition } from '@svc/store/contract'
import { UNENTERED_MS } from './keep/keep.ts'
import { removeDocuments } from './keep/remove.ts'
import type { Means } from './means.ts'
import type { DocumentStorage } from './storage.ts'
import { sweepHolds } from './promises/hold.ts'
import { DOCUMENT, documentOf, documents } from './table.ts'

/** How often documents are looked for whose time is over, and bytes that no document is about. */
export const SWEEP_PERIOD_MS = 15 * 60_000
const DAY_MS = 86_400_000
const PORTION = 200

/** The bytes of a document, by their name: nothing else in the place is touched. */
const OURS = new RegExp(
  `^[A-Za-z][A-Za-z0-9_]{0,62}-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?:${Object.values(
    FORMAT_FACTS,
  )
    .map(({ extension }) => `\\${extension}`)
    .join('|')})$`,
)

/** Makes what takes away the documents of a domain whose time is over, bytes that none is about, and holds that nobody has let go. */
export const createSweep =
  (data: Data, { days, path }: DocumentStorage, { files, env, log }: Means) =>
  async (signal: AbortSignal): Promise<void> => {
    if (days !== undefined) await retire(new Date(env.now() - days * DAY_MS).toISOString())
    await sweepHolds(data, new Date(env.now() - UNENTERED_MS).toISOString())
    let keys: string[] = []
    for await (const { key, modifiedAt } of files.apart.list(`${path}/`)) {
      if (signal.aborted) return
      if (modifiedAt > env.now() - UNENTERED_MS || !OURS.test(key.slice(path.length + 1))) continue
      keys.push(key)
      if (keys.length < PORTION) continue
      await takeUnknown(keys)
      keys = []
    }
    await takeUnknown(keys)

    async function retire(before: string): Promise<void> {
      const of: readonly Condition[] = [
        { op: 'eq', column: DOCUMENT.domain, value: data.model.name },
        { op: 'lt', column: DOCUMENT.generatedAt, value: before },
      ]
      const where: Condition = { op: 'and', of }
      for (;;) {
        const { columns } = documents
        const rows = await data.reader.select({ table: documents, columns, where, order: [], limit: PORTION })
        if (rows.length === 0 || signal.aborted) return
        await data.write({ caller: SYSTEM }, (writes) =>
          removeDocuments(rows.map(documentOf), writes, { files }),
        )
      }
    }

    async function takeUnknown(some: readonly string[]): Promise<void> {
      if (some.length === 0) return
      const column = DOCUMENT.storagePath
      const where: Condition = { op: 'in', column, values: some }
      const rows = await data.reader.select({ table: documents, columns: [column], where, order: [] })
      const known = new Set(rows.map((row) => row[column.name]))
      for (const key of some) {
        if (known.has(key)) continue
        await files.apart.remove(key)
        log.info({ key }, 'documents.swept')
      }
    }
  }
