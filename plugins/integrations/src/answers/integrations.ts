import { type DomainAction, domainAction, Text } from '@svc/domain/contract'
import { z } from 'zod'
import { errors } from '@svc/kernel'
import type { Integration } from '../integration.ts'
import { integrationNamed } from './named.ts'

const text = (what: string) => Text.nullable().describe(what)

const IntegrationAnswer = z.object({
  name: z.string().describe('Its name.'),
  type: z.string().describe('Its type.'),
  label: text('What it is called.'),
  description: text('What it is for.'),
  enabled: z.boolean().describe('Whether it is in use.'),
  auth: z.array(z.string()).describe('How its requests are authorized: the types.'),
  operations: z
    .array(
      z.object({
        name: z.string().describe('Its name.'),
        description: text('What it does.'),
        resource: z.string().nullable().describe('The resource whose records it is done for.'),
        input: z
          .array(z.object({ name: z.string(), type: z.string(), required: z.boolean() }))
          .describe('What a request may say in `input`.'),
        triggers: z.array(z.json()).describe('What sets it off by itself.'),
        manual: z.boolean().describe('Whether it is done by hand.'),
      }),
    )
    .describe('What it does.'),
})

/** The actions that tell of integrations; none of them tells an address. */
export const integrationActions = (
  all: ReadonlyMap<string, Integration>,
  now: () => number,
): readonly DomainAction[] => [
  domainAction({
    name: 'list',
    summary: 'List the integrations that you may view',
    access: 'record',
    routes: ['GET /integrations'],
    output: z.object({ items: z.array(IntegrationAnswer), count: z.int() }),
    handle(_, { caller }) {
      const seen = [...all.values()].filter(({ view }) => view.admits(caller, now))
      if (seen.length === 0 && all.size > 0)
        throw errors.FORBIDDEN({ message: 'You may view no integration of this domain' })
      return { items: seen.map(shownOf), count: seen.length }
    },
  }) as DomainAction,
  domainAction({
    name: 'get',
    summary: 'Read one integration',
    access: 'record',
    routes: ['GET /integrations/:name'],
    input: z.strictObject({ name: z.string().describe('The name of the integration.') }),
    output: IntegrationAnswer,
    handle({ name }, { caller }) {
      const integration = integrationNamed(name, all)
      integration.view.assert(caller, now)
      return shownOf(integration)
    },
  }) as DomainAction,
]

const shownOf = ({ name, type, label, description, enabled, auth, operations }: Integration) => ({
  name,
  type,
  label: label ?? null,
  description: description ?? null,
  enabled,
  auth: auth.map((one) => one.type),
  operations: [...operations.values()].map((one) => ({
    name: one.name,
    description: one.description ?? null,
    resource: one.resource?.name ?? null,
    input: one.input.map(({ name: of, type: kind, isOptional }) => ({
      name: of,
      type: kind,
      required: !isOptional,
    })),
    triggers: [
      ...one.triggers.map(({ resource, events }) => ({ resource: resource.name, events: [...events] })),
      ...one.schedules.map(({ resource, recurrence, zone }) => ({
        resource: resource?.name ?? null,
        schedule: recurrence.text,
        timezone: zone,
      })),
    ],
    manual: one.manual,
  })),
})
