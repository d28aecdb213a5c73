import type { AccountRemoving, Accounts } from '@svc/auth/contract'
import type { Domains } from '@svc/domain/contract'
import type { Events } from '@svc/events/contract'
import type { Jobs } from '@svc/jobs/contract'
import { type Context, createUuidV7, repeat } from '@svc/kernel'
import type { Mailer } from '@svc/mail/contract'
import { createKeptSecrets, type KeptSecrets, type Outbound } from '@svc/outbound/contract'
import type { Store } from '@svc/store/contract'
import type { WebhooksConfig } from './config.ts'
import { deliveryActions } from './delivery-actions.ts'
import { deliveryJobs } from './deliver.ts'
import { endpointActions } from './endpoint-actions.ts'
import { KnownEndpoints } from './endpoints.ts'
import { noticeJobs } from './notice.ts'
import { endpointReader } from './reader.ts'
import { deliveries, DELIVERY, ENDPOINT, endpoints } from './tables.ts'

const DAY_MS = 86_400_000
const SWEEP_MS = 3_600_000

export interface WebhooksParts extends Context {
  readonly config: WebhooksConfig
  readonly accounts: Accounts
  readonly domains: Domains
  readonly events: Events
  readonly jobs: Jobs
  readonly mailer: Mailer | undefined
  readonly outbound: Outbound
  readonly secrets: KeptSecrets | undefined
  readonly store: Store
}

/** Makes the tables, hears what happens, and delivers it. */
export async function startWebhooks(context: WebhooksParts): Promise<void> {
  const { accounts, actions, bus, config, domains, env, events, jobs, log } = context
  const { onOpen, onStop, outbound, redaction, store } = context
  await store.ensure([endpoints, deliveries])
  const kept =
    context.secrets ?? createKeptSecrets({ key: accounts.deriveKey('secrets of integrations and webhooks') })
  domains.mentioning(({ name }) => [
    {
      kind: 'webhookDelivery',
      table: deliveries,
      columns: [DELIVERY.responseBody],
      where: { op: 'eq', column: DELIVERY.domain, value: name },
    },
  ])
  onStop(bus.on('auth.account.removing', renameReader))
  const sending = { outbound, env, redaction, timeoutMs: config.timeout_ms }
  const notices = noticeJobs(jobs, context)
  const kind = deliveryJobs(jobs, { ...sending, accounts, config, events, kept, log, notices, store })
  const known = new KnownEndpoints(store)
  const newId = createUuidV7(env)
  if (events.isOutbox) events.reader(endpointReader(known, { jobs: kind, newId, now: env.now, log }))
  const service = { ...sending, accounts, config, domains, events, jobs: kind, kept, known, newId, store }
  actions.add(...endpointActions(service), ...deliveryActions(service))
  onOpen(async () => {
    await known.look()
    // Those that another server was told of.
    const source = jobs.source('webhook endpoints', async () => {
      await known.look()
      return false
    })
    const endSweep = repeat(() => sweep(store, env.now() - config.retention_days * DAY_MS), {
      everyMs: SWEEP_MS,
      log,
      failure: 'webhooks.sweep_failed',
    })
    return async () => {
      await source.end()
      await endSweep()
    }
  })
}

/** Has an endpoint that reads as an account which goes with its person keep the pseudonym in place of its name. */
async function renameReader({ id, erased, transaction }: AccountRemoving): Promise<void> {
  if (erased === undefined) return
  const where = { op: 'eq', column: ENDPOINT.asId, value: id } as const
  await transaction.update({ table: endpoints, set: { [ENDPOINT.asName.name]: erased.pseudonym }, where })
}

/** Takes away deliveries that were over long ago. */
async function sweep(store: Store, until: number): Promise<void> {
  await store.transaction((transaction) =>
    transaction.remove({
      table: deliveries,
      where: {
        op: 'and',
        of: [
          { op: 'lt', column: DELIVERY.createdAt, value: new Date(until).toISOString() },
          // A ping that nobody has seen to the end has no work that would.
          {
            op: 'or',
            of: [
              { op: 'ne', column: DELIVERY.status, value: 'pending' },
              { op: 'null', column: DELIVERY.domain },
            ],
          },
        ],
      },
    }),
  )
}
