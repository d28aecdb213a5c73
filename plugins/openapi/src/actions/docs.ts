import { type Action, defineAction, errors } from '@svc/kernel'
import { z } from 'zod'
import { createAssets } from '../docs/assets.ts'
import { type Choice, docsPage, PAGE_POLICY } from '../docs/page.ts'
import type { Documents } from '../documents.ts'
import { createServed, IMMUTABLE, REVALIDATED } from '../served.ts'

const input = z.object({ file: z.string(), v: z.string().optional() })

/** The page for people, and the files that it is made of. */
export function docs(documents: Documents): readonly Action[] {
  const assets = createAssets()

  const page = defineAction({
    name: 'svc.openapi.docs',
    summary: 'Shows the documents to people, and lets them try every operation',
    access: ['*'],
    routes: ['GET /api/v1/docs'],
    notes: { direct: true, audit: false, openapi: { type: 'text/html' } },
    handle: (_, call) =>
      createServed('text/html; charset=utf-8', docsPage(choices(documents), assets)).answer(call, {
        'Content-Security-Policy': PAGE_POLICY,
      }),
  })

  const asset = defineAction<z.output<typeof input>>({
    name: 'svc.openapi.asset',
    summary: 'Answers a file of the documentation page',
    access: ['*'],
    routes: ['GET /api/v1/docs/assets/:file'],
    bind: ({ params, query }) => ({ ...query, ...params }),
    input,
    notes: { direct: true, audit: false, openapi: false },
    handle({ file, v }, call) {
      const found = assets.find(file)
      if (found === undefined) throw errors.NOT_FOUND()
      return found.answer(call, { 'Cache-Control': v === found.hash ? IMMUTABLE : REVALIDATED })
    },
  })

  return [page, asset]
}

/** The whole server first, then each domain; addresses are relative to the page. */
const choices = (documents: Documents): readonly Choice[] => [
  { name: 'Whole server', url: 'openapi.json' },
  ...documents.domains().map((name) => ({ name, url: `domains/${encodeURIComponent(name)}/openapi.json` })),
]
