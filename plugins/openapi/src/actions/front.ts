import { type Action, type Call, defineAction, type Release, Reply } from '@svc/kernel'
import { z } from 'zod'
import { FRONT_POLICY, frontPage } from '../docs/front-page.ts'
import type { Documents } from '../documents.ts'

const Link = z.strictObject({ name: z.string(), docs: z.string(), openapi: z.string() })

const output = z.strictObject({
  name: z.string(),
  version: z.string(),
  docs: z.string().describe('The page for people'),
  openapi: z.string().describe('The document of the whole server'),
  domains: z.array(Link).describe('Each domain with its own page and document'),
})
export type Front = z.output<typeof output>

/** Says what answers here: a page for people, JSON for programs. */
export const front = (documents: Documents, { version }: Release): Action =>
  defineAction<unknown, Front>({
    name: 'svc.openapi.front',
    summary: 'Says what answers here, and where it is described',
    access: ['*'],
    routes: ['GET /'],
    notes: { audit: false },
    output,
    handle(_, call) {
      const found = frontOf(documents, version)
      const headers = { Vary: 'Accept', 'Cache-Control': 'no-cache' }
      if (!wantsPage(call)) return new Reply<Front>({ headers, data: found })
      return new Reply<Front>({
        headers: { ...headers, 'Content-Security-Policy': FRONT_POLICY },
        content: { type: 'text/html; charset=utf-8', body: frontPage(found) },
      })
    },
  })

const frontOf = (documents: Documents, version: string): Front => ({
  name: 'svc',
  version,
  docs: '/api/v1/docs',
  openapi: '/api/v1/openapi.json',
  domains: documents.domains().map((name) => ({
    name,
    docs: `/api/v1/docs?domain=${encodeURIComponent(name)}`,
    openapi: `/api/v1/domains/${encodeURIComponent(name)}/openapi.json`,
  })),
})

/** Whether `Accept` (RFC 9110, section 12.5.1) puts HTML before JSON; browsers name it, programs seldom do. */
function wantsPage({ request }: Call): boolean {
  const weights = weightsOf(request?.meta('accept') ?? '')
  const page = weights.get('text/html') ?? 0
  return page > 0 && page >= (weights.get('application/json') ?? 0)
}

const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(',').map((part) => {
      const [type = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
      const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)
      return [type, Number.isFinite(weight) ? weight : 0]
    }),
  )
