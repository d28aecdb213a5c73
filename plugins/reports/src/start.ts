import type { Documents } from '@svc/documents/contract'
import type { Domains } from '@svc/domain/contract'
import type { Context } from '@svc/kernel'
import type { Render } from '@svc/render/contract'
import { dashboardsBlock } from './dashboards/block.ts'
import { reportsBlock } from './reports/block.ts'
import { viewsBlock } from './views/block.ts'

interface Setup extends Context {
  readonly domains: Domains
  readonly render: Render
  readonly documents?: Documents | undefined
}

/** Adds the keys of this plugin to the language. */
export function startReports({ domains, render, documents, env }: Setup): void {
  const now = () => env.now()
  domains.block(viewsBlock(now))
  domains.block(reportsBlock(domains, { render, now }, documents?.keeps('report')))
  domains.block(dashboardsBlock(now))
}
