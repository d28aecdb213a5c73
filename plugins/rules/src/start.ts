import { type Automation, sweepLedger } from '@svc/automation/contract'
import type { Domains } from '@svc/domain/contract'
import { type Context, defineAction, repeat } from '@svc/kernel'
import type { Notifications } from '@svc/notifications/contract'
import type { Store } from '@svc/store/contract'
import { rulesBlock } from './block.ts'
import type { RulesConfig } from './config.ts'
import { LOG, logTable } from './log/table.ts'

/** How often old entries of logs are looked for, in milliseconds; the first time comes soon. */
const SWEEP_MS = 3_600_000

type Given = Context & {
  readonly config: RulesConfig
  readonly domains: Domains
  readonly store: Store
  readonly automation: Automation
  readonly notifications: Notifications | undefined
}

/** Adds the key `rules` to the language, and takes old entries of the logs away from time to time. */
export function startRules({
  config,
  domains,
  store,
  automation,
  notifications,
  actions,
  env,
  log,
  onOpen,
}: Given): void {
  domains.block(rulesBlock({ automation, notifications }))
  const { retention_days: days } = config
  const sweep = async () => {
    let removed = 0
    for (const model of domains.list())
      if (model.parts.some(({ key }) => key === 'rules'))
        removed += await sweepLedger({ table: logTable(model.name), endedAt: LOG.at, days }, store, env.now())
    return { removed }
  }
  actions.add(
    defineAction({
      name: 'rules.sweep',
      summary: 'Remove entries of the logs of rules that are older than they are kept',
      access: [],
      handle: sweep,
    }),
  )
  if (days === undefined) return
  onOpen(() => repeat(sweep, { everyMs: SWEEP_MS, log, failure: 'rules.log_not_swept' }))
}
