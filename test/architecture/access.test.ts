import { describe, expect, it } from 'vitest'
import { SHOP } from '../acceptance/shop.ts'
import { STORES } from '../kit/stores.ts'
import { useTestKernel } from '../kit/test-kernel.ts'

/** Everything that a stranger may call, besides what a definition opens; said twice on purpose: who opens an address says so here too. */
const PUBLIC = [
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
  'GET /version',
  'GET /api/v1/status',
  'GET /api/v1/plugins',
  'GET /api/v1/routes',
  'GET /',
  'GET /api/v1/openapi.json',
  'GET /api/v1/definition.schema.json',
  'GET /api/v1/domains',
  'GET /api/v1/domains/:name',
  'GET /api/v1/domains/:name/events',
  'GET /api/v1/domains/:name/schema',
  'GET /api/v1/domains/:name/source',
  'GET /api/v1/domains/:name/openapi.json',
  'POST /api/v1/auth/login',
  'POST /api/v1/auth/register',
  'POST /api/v1/auth/refresh',
  'POST /api/v1/auth/forgot-password',
  'POST /api/v1/auth/reset-password',
  'POST /api/v1/auth/verify-email',
  'GET /api/v1/files/*path',
  'GET /files/*path',
  'GET /api/v1/files/signed/*path',
  'GET /files/signed/*path',
]
/** The documentation page and its files. */
const DOCS = 'GET /api/v1/docs'

describe('the actions of a whole server', () => {
  const server = useTestKernel({ store: STORES[0]!, definition: SHOP })
  const routed = () =>
    server()
      .kernel.actions.list()
      .filter(({ routes = [] }) => routes.length > 0)
  const isOpen = (access: unknown) => Array.isArray(access) && access.includes('*')

  it('say who may run each one that has a route', () => {
    const silent = routed().filter(({ access }) => access !== 'record' && !Array.isArray(access))
    expect(silent.map(({ name }) => name)).toEqual([])
  })

  it('are open to strangers where the documents say so, and nowhere else', () => {
    const open = routed()
      .filter(({ access, name }) => isOpen(access) && !name.startsWith('svc.shop.'))
      .flatMap(({ routes = [] }) => routes.map((route) => route.replace(/:\w+/g, ':name')))
      .filter((route) => !route.startsWith(DOCS))
    expect(open.sort()).toEqual(PUBLIC.toSorted())
  })

  it('are for administrators everywhere below /admin', () => {
    const admin = routed().filter(({ routes = [] }) => routes.some((route) => route.includes('/admin/')))
    expect(admin.length).toBeGreaterThan(0)
    for (const { name, access } of admin) expect([name, access]).toEqual([name, ['admin']])
  })
})
