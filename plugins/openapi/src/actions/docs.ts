import { type Action, defineAction, errors } from '@svc/kernel'
import { z } from 'zod'
import { createAsset, IMMUTABLE, REVALIDATED } from '@svc/rest/contract'
import { createAssets } from '../docs/assets.ts'
import { docsPage, PAGE_POLICY, type Shown } from '../docs/page.ts'
import type { Documents } from '../documents.ts'

const choice = z.object({
  domain: z.string().optional().describe('Name of a domain, to show its document alone'),
})
const file = z.object({ file: z.string(), v: z.string().optional() })

/** The page for people, and the files that it is made of. */
export function docs(documents: Documents): readonly Action[] {
  const assets = createAssets()

  const page = defineAction<z.output<typeof choice>>({
    name: 'svc.openapi.docs',
    summary: 'Shows the documents to people, and lets them try every operation',
    access: ['*'],
    routes: ['GET /api/v1/docs'],
    bind: ({ query }) => query,
    input: choice,
    notes: { direct: true, audit: false, openapi: { type: 'text/html' } },
    handle: ({ domain = '' }, call) =>
      createAsset('text/html; charset=utf-8', docsPage(shown(domain, documents), assets)).answer(call, {
        'Content-Security-Policy': PAGE_POLICY,
      }),
  })

  const asset = defineAction<z.output<typeof file>>({
    name: 'svc.openapi.asset',
    summary: 'Answers a file of the documentation page',
    access: ['*'],
    routes: ['GET /api/v1/docs/assets/:file'],
    bind: ({ params, query }) => ({ ...query, ...params }),
    input: file,
    notes: { direct: true, audit: false, openapi: false },
    handle({ file: name, v }, call) {
      const found = assets.find(name)
      if (found === undefined) throw errors.NOT_FOUND()
      return found.answer(call, { 'Cache-Control': v === found.hash ? IMMUTABLE : REVALIDATED })
    },
  })

  return [page, asset]
}

/** The whole server unless a domain is asked for; the address is relative to the page. */
function shown(name: string, documents: Documents): Shown {
  const domains = documents.domains()
  if (name === '') return { domain: undefined, document: 'openapi.json', domains }
  const domain = domains.find((one) => one === name.toLowerCase())
  if (domain === undefined) throw errors.NOT_FOUND({ message: `There is no domain '${name}'` })
  return { domain, document: `domains/${encodeURIComponent(domain)}/openapi.json`, domains }
}
