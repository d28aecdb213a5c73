import type { FindSignable } from '@svc/files/contract'
import { errors } from '@svc/kernel'
import { download } from './download.ts'
import type { OpenDomain } from './open-domain.ts'
import type { Means } from './means.ts'
import { findDocument } from './table.ts'
import { assertView } from './view.ts'

const DOWNLOAD = /^(?<prefix>\/.+)\/documents\/(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/download$/i

/** Finds the documents whose downloads are signed, by their addresses. */
export const signableDocuments =
  (means: Means): FindSignable =>
  async (path) => {
    const { prefix, id } = DOWNLOAD.exec(path)?.groups ?? {}
    const open = prefix === undefined ? undefined : domainAt(prefix, means)
    if (open === undefined || id === undefined) return undefined
    const { data, viewed } = open
    const document = await findDocument(id.toLowerCase(), data.model.name, data.reader)
    if (document === undefined) throw errors.NOT_FOUND({ message: `There is no document '${id}'` })
    return {
      assertReadable: (caller) => assertView(document, caller, viewed, data, () => means.env.now()),
      serve: (call) => download(document, call, means),
    }
  }

const domainAt = (prefix: string, { open }: Means): OpenDomain | undefined =>
  [...open.values()].find(({ data, isReachable }) => isReachable && data.model.prefixes.includes(prefix))
