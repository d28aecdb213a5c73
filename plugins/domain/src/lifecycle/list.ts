import { type Action, defineAction } from '@svc/kernel'
import { type Lifecycle, summaryOf } from './lifecycle.ts'

/** Lists the domains. */
export const list = ({ engine }: Lifecycle): Action =>
  defineAction({
    name: 'svc.domain.list',
    summary: 'List the domains',
    access: ['*'],
    routes: ['GET /api/v1/domains'],
    handle: () => ({ domains: engine.inForce.list().map(summaryOf) }),
  })
