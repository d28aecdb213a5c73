import { type Action, defineAction } from '@svc/kernel'
import type { Documents } from '../documents.ts'

/** Answers the document of the whole server. */
export function serviceDocument(documents: Documents): Action {
  return defineAction({
    name: 'svc.openapi.document',
    summary: 'Describes the whole server in OpenAPI',
    access: ['*'],
    routes: ['GET /api/v1/openapi.json'],
    notes: { direct: true },
    handle: async (_, call) => (await documents.service()).answer(call),
  })
}
