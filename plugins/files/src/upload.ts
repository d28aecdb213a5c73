import { type Action, type Call, defineAction, droppedBy, errors, Reply } from '@svc/kernel'
import { formOf, type Upload, uploadOf } from '@svc/rest/contract'
import { z } from 'zod'
import type { Files } from './contract.ts'
import { filesErrors } from './errors.ts'
import { fileNameOf } from './file-name.ts'
import { mediaTypeOf } from './media-types/media-type.ts'
import type { Once } from './once.ts'
import { BASES, pathOf } from './place.ts'
import type { FileRow } from './table.ts'

const input = z.looseObject({
  filename: z.string().optional().describe('What the file is called; what its part says unless given'),
  mime_type: z.string().optional().describe('Its media type; what its part says unless given'),
})
type Asked = z.output<typeof input>

const output = z.strictObject({
  id: z.uuid(),
  filename: z.string(),
  mime_type: z.string(),
  size: z.int().describe('In bytes'),
  path: z.string().describe('Where the file is found'),
})

/** Makes the action that takes files. */
export const uploadAction = (files: Files, once: Once, roles: readonly string[]): Action =>
  defineAction<Asked>({
    name: 'files.upload',
    summary: 'Upload a file',
    access: roles.length === 0 ? ['authenticated'] : roles,
    routes: BASES.map((base) => `POST ${base}/upload` as const),
    rawBody: formOf(files.messageLimit),
    input,
    output,
    notes: { status: 201 },
    async handle(asked, call) {
      ignoreOthers(asked, call)
      const upload = await uploadOf(call)
      const { filename, mimeType } = describedBy(asked, upload)
      const createdBy = call.caller.id
      const reception = await files.receive({
        filename,
        mimeType,
        bytes: upload,
        createdBy,
        signal: call.signal,
      })
      if ('rejected' in reception) throw reception.rejected
      const { kept } = reception
      const sent = [filename, mimeType, kept.file.hash]
      return once('files.upload', sent, call, kept, () => Reply.created(shown(kept.file)))
    },
  })

/** Name and type of a file, as the address has them, or else its part. Throws MISSING_FIELDS or INVALID_QUERY. */
function describedBy({ filename, mime_type }: Asked, upload: Upload) {
  const name = fileNameOf(filename ?? '') ?? fileNameOf(upload.filename ?? '')
  if (name === undefined)
    throw filesErrors.MISSING_FIELDS({ message: "The file has no name: give it one, or send 'filename'" })
  const type = mediaTypeOf(mime_type ?? upload.type)
  if (type === undefined)
    throw errors.INVALID_QUERY({ message: `'mime_type' must be a media type such as 'image/png'` })
  return { filename: name, mimeType: type }
}

function ignoreOthers(asked: Asked, call: Call): void {
  const drop = droppedBy(call.request?.meta('prefer'), call.warn)
  for (const name in asked)
    if (!Object.hasOwn(input.shape, name))
      drop(`The query parameter '${name.slice(0, 100)}' is not known here`)
}

const shown = (file: FileRow): z.output<typeof output> => ({
  id: file.id,
  filename: file.filename,
  mime_type: file.mimeType,
  size: file.size,
  path: pathOf(file),
})
