import { evaluationOfFacts, type Writes } from '@svc/domain/contract'
import { Postponed } from '@svc/jobs/contract'
import type { Enclosed } from '@svc/notifications/contract'
import { FORMAT_FACTS, type FormatName } from '@svc/render/contract'
import { findPromise } from '../promises/promises.ts'
import type { MadeFile } from '../generate/make.ts'
import { gathered } from '../generate/pictures.ts'
import type { Request } from '../generate/gather.ts'
import type { OpenDomain } from '../open-domain.ts'
import type { Means } from '../means.ts'
import { findDocument, type GeneratedDocument } from '../table.ts'

/** The kind of files that messages of templates enclose. */
export const ENCLOSURE = 'document'
/** No mail carries a larger document. */
const MOST_BYTES = 10 * 1024 ** 2

/** Raises the notification of a template about the document that was made, in the transaction that keeps it. */
export async function raiseNotification(
  { template, record, parameters, asker: { caller }, now }: Request,
  { names }: MadeFile,
  { id, filename, recordId, fileSize }: GeneratedDocument,
  writes: Writes,
): Promise<void> {
  const {
    notification,
    data: { resource, speech },
  } = template
  if (notification === undefined) return
  const { compiled, isEnclosed } = notification
  const said = Object.fromEntries(
    Object.entries(names).filter(([name]) => name !== 'record' && notification.names.includes(name)),
  )
  const facts = {
    resource,
    record,
    user: caller,
    names: { ...said, document: { id, filename } },
    parameters,
    variables: { params: parameters },
    shapes: speech.variables,
    now,
  }
  await compiled.raise(writes, {
    source: { kind: 'template', name: template.name, id },
    resource,
    recordId,
    context: await evaluationOfFacts(facts, compiled.expressions, writes),
    ...(isEnclosed && fileSize <= MOST_BYTES && { enclosure: { kind: ENCLOSURE, id } }),
  })
}

/** How long a mail waits before it looks again whether its document is made, in milliseconds. */
const NOT_MADE_MS = 1000

/** Opens a document for a mail; undefined where it is gone by then, or too large. Throws Postponed where it is still to come, and UNAVAILABLE. */
export const openEnclosed =
  (open: ReadonlyMap<string, OpenDomain>, { files }: Pick<Means, 'files'>) =>
  async (domain: string, id: string): Promise<Enclosed | undefined> => {
    const found = open.get(domain)
    if (found === undefined) return undefined
    const { model, reader } = found.data
    // Asked first: what is made in between is found as a document.
    const isToCome = (await findPromise(id, model, reader)) !== undefined
    const document = await findDocument(id, domain, reader)
    if (document === undefined && isToCome)
      throw new Postponed(`the document '${id}' is not made yet`, NOT_MADE_MS)
    if (document === undefined || document.fileSize > MOST_BYTES) return undefined
    const { filename, format, storagePath, fileSize } = document
    const content = await gathered(await files.apart.read(storagePath, 0, fileSize))
    return { filename, type: FORMAT_FACTS[format as FormatName].mediaType, content }
  }
