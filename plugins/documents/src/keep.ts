import { onceOf } from '@svc/automation/contract'
import type { Data } from '@svc/domain/contract'
import { entering } from '@svc/files/contract'
import type { Call } from '@svc/kernel'
import { FORMAT_FACTS } from '@svc/render/contract'
import { createHash } from 'node:crypto'
import type { MadeFile } from './generate/make.ts'
import type { Admitted } from './generate/request.ts'
import type { Means } from './start.ts'
import type { DocumentStorage } from './storage.ts'
import { DOCUMENT, documents, type GeneratedDocument, valuesOf } from './table.ts'

/** SHA-256 in hex. */
export const checksumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/**
 * Keeps a file as a document, once for each `Idempotency-Key`: bytes first, then the row. Answers what was kept. Throws
 * UNAVAILABLE.
 */
export async function keepDocument(
  { request: { template, record, parameters, call, data }, locale }: Admitted,
  { bytes, filename }: MadeFile,
  { path }: DocumentStorage,
  { files, env, bus, newId }: Means,
): Promise<GeneratedDocument> {
  const { model } = data
  const { resource } = template.data
  const id = newId()
  const storagePath = `${path}/${template.name}-${id}${FORMAT_FACTS[template.format].extension}`
  const document: GeneratedDocument = {
    id,
    templateName: template.name,
    templateVersion: model.version,
    resource: resource?.name ?? null,
    recordId: resource && record ? String(record[resource.key.name]) : null,
    filename,
    format: template.format,
    storagePath,
    fileSize: bytes.byteLength,
    generatedBy: call.caller.id,
    generatedAt: new Date(env.now()).toISOString(),
    metadata: {
      checksum: checksumOf(bytes),
      templateChecksum: template.checksum,
      parameters,
      locale: locale.localeResolved,
      trigger: 'manual',
    },
  }
  await files.apart.put(storagePath, bytes)
  const kept = { discard: () => files.apart.remove(storagePath) }
  const asked = { recordId: document.recordId, parameters, locale: locale.localeResolved }
  return entering(kept, (begins) =>
    data.write(
      call,
      async (writes) => {
        begins()
        await writes.insert({ table: documents, values: valuesOf(model.name, document) })
        writes.afterCommit(() => tell(document, model.name, call, bus))
        return document
      },
      onceOf(call, `templates generate ${template.name}`, asked),
    ),
  )
}

function tell(
  document: GeneratedDocument,
  domain: string,
  { caller, requestId }: Call,
  bus: Means['bus'],
): void {
  bus.emit(`svc.${domain}.documents.generated`, {
    id: document.id,
    domain,
    action: 'generated',
    document,
    actor: { id: caller.id, username: caller.username },
    at: document.generatedAt,
    requestId,
  })
}

/** Takes documents away, their bytes with the commit. */
export async function removeDocuments(
  gone: readonly Pick<GeneratedDocument, 'id' | 'storagePath'>[],
  writes: Parameters<Parameters<Data['write']>[1]>[0],
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
