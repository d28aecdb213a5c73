import { type Action, defineAction, errors } from '@svc/kernel'
import { z } from 'zod'
import type { Documents } from '../documents.ts'

const input = z.object({ domain: z.string().describe('Name of the domain') })

/** Answers the document of one domain. */
export function domainDocument(documents: Documents): Action {
  return defineAction<z.output<typeof input>>({
    name: 'svc.domain.openapi',
    summary: 'Describes one domain in OpenAPI',
    access: ['*'],
    routes: ['GET /api/v1/domains/:domain/openapi.json'],
    bind: ({ params }) => params,
    input,
    notes: { direct: true },
    async handle({ domain }, call) {
      const found = await documents.domain(domain)
      if (found === undefined) throw errors.NOT_FOUND({ message: `There is no domain '${domain}'` })
      return found.answer(call)
    },
  })
}
