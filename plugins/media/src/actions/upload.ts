import { domainAction } from '@svc/domain/contract'
import { entering, fileNameOf, mediaTypeOf } from '@svc/files/contract'
import { type AppError, type Call, droppedBy, errors, isStrict, Reply, type Warning } from '@svc/kernel'
import { formOf, uploadOf } from '@svc/rest/contract'
import { z } from 'zod'
import { mediaErrors } from '../errors.ts'
import { type ShownItem, shown } from '../item.ts'
import type { Ready } from '../keep.ts'
import { type Around, once } from '../library/once.ts'
import type { Library } from '../setting.ts'
import { accessOf } from '../tiers.ts'
import { Item } from './shapes.ts'

/** What is required is asked for by the handler, whose code for it is one of its own. */
const input = z.looseObject({
  filename: z.string().optional().describe('What the file is called; required'),
  mime_type: z.string().optional().describe('Its media type, such as `image/png`; required'),
})
type Asked = z.output<typeof input>

/** Makes the action that adds an item to the library. */
export const uploadAction = (library: Library) =>
  domainAction<Asked, ShownItem>({
    name: 'upload',
    summary: 'Add a file to the library',
    access: accessOf(library.tiers.upload.filter((name) => name !== 'owner')),
    routes: ['POST /media/upload'],
    rawBody: formOf(library.files.messageLimit),
    input,
    output: Item,
    notes: { status: 201 },
    async handle(asked, call, data) {
      const described = describedBy(asked, call)
      const bytes = await uploadOf(call)
      const { caller, signal } = call
      const ready = await library.keep(library.domain, { ...described, bytes, createdBy: caller.id, signal })
      const { rejected } = ready
      if (rejected !== undefined) tellRejected(rejected, call)
      return entered(ready, call, { library, data })
    },
  })

/** Enters an item, once for each `Idempotency-Key`; where nothing comes of it its bytes go again. */
function entered(ready: Ready, call: Call, around: Around): Promise<Reply> {
  const { item, hash = null } = ready
  const sent = [item.filename, item.mimeType, hash]
  return entering(ready, (begins) =>
    once({ action: 'upload', sent }, call, around, async (transaction) => {
      begins()
      await ready.enter(transaction, call)
      return Reply.created(shown(item))
    }),
  )
}

/** What a file is called, and what it is. Throws MISSING_FIELDS or INVALID_QUERY. */
function describedBy({ filename = '', mime_type = '', ...others }: Asked, call: Call) {
  const name = fileNameOf(filename)
  const missing = [...(name === undefined ? ['filename'] : []), ...(mime_type === '' ? ['mime_type'] : [])]
  if (name === undefined || missing.length > 0)
    throw mediaErrors.MISSING_FIELDS({
      message: `The file has to be described by the query: ${missing.map((one) => `'${one}'`).join(' and ')}`,
    })
  const type = mediaTypeOf(mime_type)
  if (type === undefined)
    throw errors.INVALID_QUERY({ message: `'mime_type' must be a media type such as 'image/png'` })
  const drop = droppedBy(call.request?.meta('prefer'), call.warn)
  for (const other in others) drop(`The query parameter '${other.slice(0, 100)}' is not known here`)
  return { filename: name, mimeType: type }
}

/** An item is catalogued without its bytes; who wants to be refused in that case is. */
function tellRejected(rejected: AppError, { request, warn }: Call): void {
  if (isStrict(request?.meta('prefer'))) throw rejected
  warn(warningOf(rejected))
}

const warningOf = ({ message }: AppError): Warning => ({
  rule: 'file_rejected',
  message: `${message}: the item has no bytes`,
  severity: 'warning',
  regulation: null,
})
