import { type Action, type Call, defineAction, errors, type Reply } from '@svc/kernel'
import { IMMUTABLE, represent } from '@svc/rest/contract'
import { z } from 'zod'
import type { Files } from './contract.ts'
import { attachment, givenName } from './file-name.ts'
import { GUARDS } from './guards.ts'
import { BASES, placeOf } from './place.ts'
import type { AssertReadable } from './reading.ts'
import type { FileRow } from './table.ts'

export const pathInput = z.strictObject({ path: z.string().describe('`<year>/<month>/<id>.<extension>`') })

/** Answers the bytes of a file. */
export function serve(files: Files, file: FileRow, call: Call, isPublic: boolean): Promise<Reply<never>> {
  const { filename, mimeType, size, hash, isUtf8, createdAt } = file
  return represent(call, {
    type: isUtf8 ? `${mimeType}; charset=utf-8` : mimeType,
    size,
    etag: `"${hash}"`,
    modifiedAt: Date.parse(createdAt),
    headers: {
      ...GUARDS,
      'Cache-Control': isPublic ? IMMUTABLE : 'private, no-cache',
      'Content-Disposition': attachment(givenName(filename, mimeType)),
    },
    read: (from, length) => files.read(file, from, length),
  })
}

/** The file at a path below the address of files. Throws NOT_FOUND. */
export async function fileAt(files: Files, path: string): Promise<FileRow> {
  const place = placeOf(path)
  const file = place && (await files.find(place.id))
  if (file === undefined || file.month !== place?.month || file.extension !== place.extension)
    throw errors.NOT_FOUND({ message: 'No file has this path' })
  return file
}

/** Makes the action that answers files. */
export const serveAction = (files: Files, assertReadable: AssertReadable, isPublic: boolean): Action =>
  defineAction<z.output<typeof pathInput>>({
    name: 'files.get',
    summary: 'Read a file, or a part of it',
    access: isPublic ? ['*'] : ['authenticated'],
    routes: BASES.map((base) => `GET ${base}/*path` as const),
    bind: ({ params }) => params,
    input: pathInput,
    notes: { direct: true, openapi: { type: '*/*', bytes: true } },
    async handle({ path }, call) {
      const file = await fileAt(files, path)
      await assertReadable(file, call.caller)
      return serve(files, file, call, isPublic)
    },
  })
