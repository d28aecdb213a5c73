import { DomainsCapability } from '@svc/domain/contract'
import { JobsCapability } from '@svc/jobs/contract'
import { definePlugin } from '@svc/kernel'
import { columnsBlock } from './columns/block.ts'
import { formulasBlock } from './formulas.ts'
import { createRecompute } from './recomputing.ts'

/** Sheets: resources whose users add columns of their own. */
export const sheet = definePlugin({
  name: 'sheet',
  phase: 'domain',
  requires: { domains: DomainsCapability, jobs: JobsCapability },
  setup({ domains, jobs }) {
    let language: ReturnType<typeof domains.language> | undefined
    // When a definition is read, every plugin has added its types.
    domains.block(columnsBlock((name) => (language ??= domains.language()).types.find(name)))
    domains.block(formulasBlock(createRecompute(jobs)))
  },
})
