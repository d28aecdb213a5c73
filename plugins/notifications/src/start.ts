import type { Accounts } from '@svc/auth/contract'
import type { Automation } from '@svc/automation/contract'
import type { Domains, Model } from '@svc/domain/contract'
import type { Jobs } from '@svc/jobs/contract'
import { type Context, createUuidV7, defineAction, repeat } from '@svc/kernel'
import type { Mailer } from '@svc/mail/contract'
import type { Metrics } from '@svc/metrics/contract'
import type { Outbound } from '@svc/outbound/contract'
import type { Store } from '@svc/store/contract'
import { notifyPerformer } from './action.ts'
import { outboxBlock } from './block.ts'
import { createChannels } from './channels/channels.ts'
import { emailChannel } from './channels/email.ts'
import { logChannel } from './channels/log.ts'
import { webhookChannel } from './channels/webhook.ts'
import { compilePlan } from './compile/notification.ts'
import type { NotificationsConfig } from './config.ts'
import type { Notifications, OpenEnclosure } from './contract.ts'
import { createMetrics } from './metrics.ts'
import { forgetAccount } from './outbox/forget.ts'
import type { OpenDomain } from './outbox/parts.ts'
import { raise } from './outbox/raise.ts'
import { declareSending } from './outbox/sending.ts'
import { domainsWithMessages, sweepMessages } from './outbox/sweep.ts'

/** How often messages are looked for whose days ran out, in milliseconds; the first time comes soon. */
const SWEEP_PERIOD_MS = 3_600_000

/** What this plugin is given at set-up. */
export type Given = Context & {
  readonly config: NotificationsConfig
  readonly domains: Domains
  readonly store: Store
  readonly jobs: Jobs
  readonly outbound: Outbound | undefined
  readonly accounts: Accounts | undefined
  readonly automation: Automation | undefined
  readonly mailer: Mailer | undefined
  readonly metrics: Metrics | undefined
}

/** Makes the outbox of all domains, and the channels by which it is emptied. */
export function startNotifications(given: Given): Notifications {
  const { config, domains, store, jobs, outbound, accounts, automation, mailer, env, log, bus } = given
  const channels = createChannels()
  channels.add(logChannel(log))
  channels.add(emailChannel(mailer, config.timeout_ms))
  if (outbound) channels.add(webhookChannel(outbound, { env, timeoutMs: config.timeout_ms }))

  const openers = new Map<string, OpenEnclosure>()
  const open = new Map<string, OpenDomain>()
  const declared = new WeakSet<Model>()
  const newId = createUuidV7(env)
  const metrics = createMetrics(given.metrics, {
    store,
    env,
    domains: () =>
      domains
        .list()
        .filter((model) => declared.has(model))
        .map(({ name }) => name),
  })
  const sending = declareSending(jobs, {
    domains: open,
    find: channels.find,
    opener: (kind) => openers.get(kind),
    accounts,
    retryMs: config.retry_seconds.map((seconds) => seconds * 1000),
    timeoutMs: config.timeout_ms,
    metrics,
    env,
    bus,
    log,
    newId,
  })

  domains.block(
    outboxBlock({
      env,
      newId,
      sending: () => sending,
      open,
      accounts,
      isDeclared: (model) => declared.has(model),
    }),
  )
  const notifications: Notifications = {
    channel: channels.add,
    encloses(kind, opener) {
      if (openers.has(kind)) throw new Error(`files of the kind '${kind}' are opened already`)
      openers.set(kind, opener)
    },
    compile(written, place) {
      const { model } = place.site
      declared.add(model)
      const plan = compilePlan(written, place, channels)
      if (plan === undefined) return undefined
      return {
        name: plan.name,
        expressions: [...plan.recipients.fields, ...plan.words.expressions],
        raise: (transaction, raised) => raise(plan, model, raised, transaction, { env, newId, sending, log }),
      }
    },
  }
  automation?.performs('notify', notifyPerformer(notifications))

  const names = () => domainsWithMessages(domains.list(), store)
  const sweep = async () => {
    let removed = 0
    for (const name of await names())
      removed += await sweepMessages(name, config.retention_days, store, env.now())
    if (removed > 0) log.info({ removed }, 'notifications.swept')
    return { removed }
  }
  given.actions.add(
    defineAction({
      name: 'notifications.sweep',
      summary: 'Remove messages that ended longer ago than they are kept',
      access: [],
      handle: sweep,
    }),
  )
  given.onStop(bus.on('auth.account.removing', async (removing) => forgetAccount(await names(), removing)))
  given.onOpen(() =>
    repeat(sweep, {
      everyMs: SWEEP_PERIOD_MS,
      log,
      failure: 'notifications.sweep_failed',
    }),
  )
  return notifications
}
