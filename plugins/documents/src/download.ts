import { GUARDS, attachment } from '@svc/files/contract'
import type { Call, Reply } from '@svc/kernel'
import { FORMAT_FACTS, type FormatName } from '@svc/render/contract'
import { represent } from '@svc/rest/contract'
import type { Means } from './means.ts'
import type { GeneratedDocument } from './table.ts'

/** What is told of the bytes of a document. */
export function representationOf(format: FormatName, filename: string, checksum: string) {
  const { mediaType } = FORMAT_FACTS[format]
  return {
    type: mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType,
    etag: `"${checksum}"`,
    headers: {
      ...GUARDS,
      'Cache-Control': 'private, no-cache',
      'Content-Disposition': attachment(filename),
    },
  }
}

/** Answers the bytes of a document, or a part of them. */
export function download(
  { format, filename, metadata, fileSize, generatedAt, storagePath }: GeneratedDocument,
  call: Call,
  { files }: Pick<Means, 'files'>,
): Promise<Reply<never>> {
  return represent(call, {
    ...representationOf(format as FormatName, filename, metadata.checksum),
    size: fileSize,
    modifiedAt: Date.parse(generatedAt),
    read: (from, length) => files.apart.read(storagePath, from, length),
  })
}
