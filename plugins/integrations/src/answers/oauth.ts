import type { Window } from '@svc/automation/contract'
import { domainAction, type DomainAction } from '@svc/domain/contract'
import { errors, Reply } from '@svc/kernel'
import { z } from 'zod'
import { NotAuthorized } from '../auth/failed.ts'
import type { Flow } from '../auth/oauth/flow.ts'
import { integrationErrors } from '../errors.ts'
import type { Integration } from '../integration.ts'
import type { Setting } from '../run/means.ts'
import { integrationNamed } from './named.ts'

const TIMEOUT_MS = 10_000

const Named = z.strictObject({ name: z.string().describe('The name of the integration.') })

/** The flow of an integration; undefined where nobody has to consent to anything. */
export const flowOf = ({ auth }: Pick<Integration, 'auth'>): Flow | undefined =>
  auth.find(({ flow }) => flow)?.flow

/** The actions by which an integration is connected. */
export function oauthWindow({ integrations, parts }: Setting): Window {
  const { now } = parts.env
  const asking = (signal: AbortSignal) => ({ signal, timeoutMs: TIMEOUT_MS })
  const flowNamed = (name: string): { readonly integration: Integration; readonly flow: Flow } => {
    const integration = integrationNamed(name, integrations)
    const flow = flowOf(integration)
    if (flow !== undefined) return { integration, flow }
    throw errors.NOT_FOUND({
      message: `The integration '${name}' has no connection that somebody consents to`,
    })
  }
  return {
    actions: [
      domainAction({
        name: 'connect',
        summary: 'Begin to connect an integration',
        access: 'record',
        routes: ['POST /integrations/:name/oauth/connect'],
        input: Named,
        output: z.object({
          authorizationUrl: z.string().describe('Where somebody consents.'),
          expiresAt: z.iso.datetime().describe('Until when that counts.'),
        }),
        handle({ name }, { caller }) {
          const { integration, flow } = flowNamed(name)
          integration.manage.assert(caller, now)
          return flow.begin(caller.id)
        },
      }) as DomainAction,
      domainAction({
        name: 'callback',
        summary: 'Connect an integration by what somebody consented to',
        access: ['*'],
        routes: ['GET /integrations/:name/oauth/callback'],
        input: z.looseObject({
          name: z.string().describe('The name of the integration.'),
          state: z.string().default('').describe('What was begun.'),
          code: z.string().optional().describe('What tokens are given for.'),
          iss: z.string().optional().describe('Who says so (RFC 9207).'),
          error: z.string().optional().describe('Why there is no code.'),
        }),
        output: z.object({ connected: z.literal(true) }),
        async handle({ name, state, code, iss, error }, { signal }) {
          const { flow } = flowNamed(name)
          try {
            await flow.finish({ state, code, iss, error }, asking(signal))
          } catch (failed) {
            if (!(failed instanceof NotAuthorized)) throw failed
            throw integrationErrors.UPSTREAM_FAILED({ message: parts.redaction.text(failed.message) })
          }
          return { connected: true as const }
        },
      }) as DomainAction,
      domainAction({
        name: 'connection',
        summary: 'See whether an integration is connected',
        access: 'record',
        routes: ['GET /integrations/:name/oauth'],
        input: Named,
        output: z.object({
          connected: z.boolean().describe('Whether it is.'),
          scopes: z.array(z.string()).nullable().describe('What was consented to.'),
          expiresAt: z.iso.datetime().nullable().describe('Until when the present token is used.'),
          connectedBy: z.string().nullable().describe('Who connected it.'),
          connectedAt: z.iso.datetime().nullable().describe('When that was.'),
        }),
        handle({ name }, { caller }) {
          const { integration, flow } = flowNamed(name)
          integration.manage.assert(caller, now)
          return flow.look()
        },
      }) as DomainAction,
      domainAction({
        name: 'disconnect',
        summary: 'Disconnect an integration',
        access: 'record',
        routes: ['DELETE /integrations/:name/oauth'],
        input: Named,
        async handle({ name }, { caller, signal }) {
          const { integration, flow } = flowNamed(name)
          integration.manage.assert(caller, now)
          await flow.end(asking(signal))
          return new Reply({ status: 204 })
        },
      }) as DomainAction,
    ],
    openapi: {
      operations: {
        connect: { description: 'For those who manage the integration.', failures: [403, 404] },
        callback: {
          description:
            'The other side sends people here. 400 for a state that is unknown, used, too old or of another integration, and where there is no code.',
          failures: [400, 404, 502],
        },
        connection: { description: 'For those who manage the integration.', failures: [403, 404] },
        disconnect: {
          description:
            'For those who manage the integration. Tokens are given back where the other side takes them.',
          failures: [403, 404],
        },
      },
    },
  }
}
