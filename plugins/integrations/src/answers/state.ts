import type { Window } from '@svc/automation/contract'
import { domainAction, type DomainAction } from '@svc/domain/contract'
import type { Condition, Reader } from '@svc/store/contract'
import { z } from 'zod'
import { type BreakerState, CLOSED } from '../gates/breaker.ts'
import { consumerKey, consumersIn } from '../inbound/consuming.ts'
import { listens } from '../inbound/standing.ts'
import type { Integration } from '../integration.ts'
import { moment } from '../run/keep.ts'
import type { Setting } from '../run/means.ts'
import { LETTER } from '../tables/dead-letters.ts'
import { ENTRY } from '../tables/log.ts'
import { RUN } from '../tables/runs.ts'
import { integrationNamed } from './named.ts'

/** What counts as recent, in seconds. */
const WINDOW_SECONDS = 300
/** Beyond this rate of failures an integration is degraded. */
const MUCH = 0.1

const moments = (what: string) => z.iso.datetime().nullable().describe(what)

const BreakerAnswer = z
  .object({
    state: z.enum(['closed', 'open', 'half_open', 'disabled']).describe('What it is like.'),
    failures: z.int().describe('How many attempts in a row have failed, as this server knows it.'),
    successes: z.int().describe('How many attempts have gone well since it is half open.'),
    openedAt: moments('When it opened.'),
    retryAt: moments('When something is sent again.'),
  })
  .describe('The circuit breaker.')

const Rate = z.number().nullable()

const StatusAnswer = z.object({
  name: z.string(),
  circuitBreaker: BreakerAnswer,
  rateLimit: z
    .object({
      requestsPerSecond: z.number(),
      burstSize: z.int(),
      available: z.int().describe('How many may leave now.'),
      queued: z.int().describe('How many wait.'),
      rejected: z.int().describe('How many this server has turned away since the definition is in force.'),
    })
    .nullable()
    .describe('The limiter; null where there is none.'),
  recent: z.object({
    windowSeconds: z.int(),
    total: z.int().describe('Attempts, on all servers.'),
    succeeded: z.int(),
    failed: z.int(),
    successRate: Rate.describe('From 0 to 1; null without attempts.'),
    failureRate: Rate.describe('From 0 to 1; null without attempts.'),
  }),
})

const HealthAnswer = z.object({
  name: z.string(),
  status: z.enum(['healthy', 'degraded', 'unhealthy', 'unconfigured', 'disabled']),
  circuitBreaker: z.enum(['closed', 'open', 'half_open', 'disabled']),
  errorRate: Rate.describe('Failed attempts of the last five minutes, from 0 to 1.'),
  averageResponseMs: z.number().nullable().describe('How long they took, in milliseconds.'),
  rateLimit: z.enum(['ok', 'limited', 'none']),
  deadLetterSize: z.int().describe('Dead letters that nobody has looked after.'),
  queueSize: z.int().describe('Runs that are to be done.'),
  oldestQueuedSeconds: z.number().nullable().describe('For how long the oldest of them waits.'),
  connected: z.boolean().nullable().describe('Whether it is connected; null where it keeps no connection.'),
  consumers: z.array(z.object({ operation: z.string(), running: z.boolean() })),
})

const Named = z.strictObject({ name: z.string().describe('The name of the integration.') })

/** How integrations are. */
export function stateWindow(setting: Setting): Window {
  const { integrations, parts } = setting
  return {
    actions: [
      domainAction({
        name: 'status',
        summary: 'See the circuit breaker, the limiter and the recent attempts of an integration',
        access: 'record',
        routes: ['GET /integrations/:name/status'],
        input: Named,
        output: StatusAnswer,
        async handle({ name }, { caller }, { reader }) {
          const integration = integrationNamed(name, integrations)
          integration.view.assert(caller, parts.env.now)
          return statusOf(integration, reader, setting)
        },
      }) as DomainAction,
      domainAction({
        name: 'health',
        summary: 'See how well an integration is',
        access: 'record',
        routes: ['GET /integrations/:name/health'],
        input: Named,
        output: HealthAnswer,
        async handle({ name }, { caller }, { reader }) {
          const integration = integrationNamed(name, integrations)
          integration.view.assert(caller, parts.env.now)
          return healthOf(integration, reader, setting)
        },
      }) as DomainAction,
    ],
    openapi: {
      operations: {
        status: {
          description: 'Counted over all servers, but for what a server alone knows.',
          failures: [404],
        },
        health: {
          description: 'Nothing is sent for it, and the health of the server does not depend on it.',
          failures: [404],
        },
      },
    },
  }
}

async function statusOf(integration: Integration, reader: Reader, setting: Setting) {
  const gates = setting.gates(integration)
  const { limit } = integration.resilience
  const [circuitBreaker, { total, failed }, available, open] = await Promise.all([
    breakerOf(integration, setting),
    recentOf(integration, reader, setting),
    gates.limiter?.available() ?? 0,
    openRuns(integration, reader, setting),
  ])
  return {
    name: integration.name,
    circuitBreaker,
    rateLimit: limit
      ? {
          requestsPerSecond: limit.requestsPerSecond,
          burstSize: limit.burstSize,
          available,
          queued: open.count + gates.waiting,
          rejected: gates.rejected,
        }
      : null,
    recent: {
      windowSeconds: WINDOW_SECONDS,
      total,
      succeeded: total - failed,
      failed,
      successRate: total === 0 ? null : (total - failed) / total,
      failureRate: total === 0 ? null : failed / total,
    },
  }
}

async function healthOf(integration: Integration, reader: Reader, setting: Setting) {
  const gates = setting.gates(integration)
  const [{ state }, recent, available, open, deadLetterSize] = await Promise.all([
    breakerOf(integration, setting),
    recentOf(integration, reader, setting),
    gates.limiter?.available(),
    openRuns(integration, reader, setting),
    reader.count({
      table: setting.tables.letters,
      where: allOf([
        { op: 'eq', column: LETTER.integration, value: integration.name },
        { op: 'eq', column: LETTER.status, value: 'pending' },
      ]),
    }),
  ])
  const errorRate = recent.total === 0 ? null : recent.failed / recent.total
  const isUnconfigured = integration.auth.some(({ secrets }) =>
    secrets.some((secret) => secret.reveal() === undefined),
  )
  const consumers = await consumersOf(integration, reader, setting)
  const isConnected = consumers.every(({ running }) => running)
  const isDegraded = state === 'half_open' || (errorRate ?? 0) > MUCH || deadLetterSize > 0
  return {
    name: integration.name,
    status: !integration.enabled
      ? 'disabled'
      : isUnconfigured
        ? 'unconfigured'
        : state === 'open' || !isConnected
          ? 'unhealthy'
          : isDegraded
            ? 'degraded'
            : 'healthy',
    circuitBreaker: state,
    errorRate,
    averageResponseMs: recent.averageMs,
    rateLimit: available === undefined ? 'none' : available > 0 ? 'ok' : 'limited',
    deadLetterSize,
    queueSize: open.count,
    oldestQueuedSeconds:
      open.oldest === undefined
        ? null
        : Math.max(0, (setting.parts.env.now() - Date.parse(open.oldest)) / 1000),
    connected: consumers.length === 0 ? null : consumers.every(({ running }) => running),
    consumers,
  }
}

/** Which of its consumers listen, on whatever server. */
const consumersOf = (integration: Integration, reader: Reader, setting: Setting) =>
  Promise.all(
    consumersIn({ integrations: new Map([[integration.name, integration]]) }).map(
      async ({ operation, consumer }) => {
        const { model, parts } = setting
        const key = `${consumerKey(model.name, integration.name, operation.name)} 0 ${consumer.text}`
        const found = await parts.consumers().inspect(key)
        const isHeld = found.some(({ status }) => status === 'running')
        const place = { integration: integration.name, operation: operation.name, at: 0 }
        return { operation: operation.name, running: isHeld && (await listens(place, reader, setting)) }
      },
    ),
  )

const breakerOf = async (integration: Integration, setting: Setting): Promise<BreakerState> =>
  (await setting.gates(integration).breaker?.state()) ?? { ...CLOSED, state: 'disabled' }

async function recentOf({ name }: Integration, reader: Reader, { tables, parts }: Setting) {
  const since = moment(parts.env.now() - WINDOW_SECONDS * 1000)
  const of: readonly Condition[] = [
    { op: 'eq', column: ENTRY.integration, value: name },
    { op: 'gt', column: ENTRY.createdAt, value: since },
  ]
  const [row = {}] = await reader.aggregate({
    table: tables.log,
    where: allOf(of),
    by: {},
    measures: {
      total: { fn: 'count' },
      failed: { fn: 'count', where: { op: 'eq', column: ENTRY.success, value: false } },
      ms: { fn: 'avg', scalar: { op: 'column', column: ENTRY.durationMs } },
    },
  })
  const { total, failed, ms = null } = row
  return {
    total: Number(total),
    failed: Number(failed),
    averageMs: ms === null ? null : Math.round(Number(ms) * 10) / 10,
  }
}

async function openRuns({ name }: Integration, reader: Reader, { tables }: Setting) {
  const where = allOf([
    { op: 'eq', column: RUN.integration, value: name },
    { op: 'null', column: RUN.endedAt },
  ])
  const [count, [oldest]] = await Promise.all([
    reader.count({ table: tables.runs, where }),
    reader.select({
      table: tables.runs,
      columns: [RUN.at],
      where,
      order: [{ column: RUN.at, descending: false }],
      limit: 1,
    }),
  ])
  return { count, oldest: oldest === undefined ? undefined : String(oldest['at']) }
}

const allOf = (of: readonly Condition[]): Condition => ({ op: 'and', of })
