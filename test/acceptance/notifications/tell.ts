import {
  type DomainBlock,
  DomainsCapability,
  evaluationOf,
  type Expression,
  recordShape,
  type Resource,
  type Speech,
} from '@svc/domain/contract'
import { definePlugin, type Plugin, SYSTEM } from '@svc/kernel'
import {
  type CompiledNotification,
  NotificationDefinition,
  type Notifications,
  NotificationsCapability,
} from '@svc/notifications/contract'
import { z } from 'zod'

const Tell = z.strictObject({
  resource: z.string(),
  when: z.string().optional(),
  /** Raised about all records of the resource at once, by `POST /tell/<name>`, and with no write. */
  batch: z.boolean().default(false),
  notification: NotificationDefinition,
})

/** What texts of a batch may name besides. */
const namesOfBatch = (resource: Resource): NonNullable<Speech['variables']> =>
  new Map<
    string,
    ReturnType<typeof recordShape> | 'number' | { kind: 'list'; items: ReturnType<typeof recordShape> }
  >([
    ['records', { kind: 'list', items: recordShape(resource) }],
    ['count', 'number'],
  ])

/** A key `tell`: each entry raises its notification with every write of a resource for which `when` holds. */
const tellBlock = (notifications: Notifications): DomainBlock<Record<string, z.output<typeof Tell>>> => ({
  on: 'domain',
  key: 'tell',
  schema: z.record(z.string(), Tell),
  compile(written, site) {
    if (written === undefined) return undefined
    const tellers = Object.entries(written).flatMap(([name, { resource: of, when, batch, notification }]) => {
      const resource = site.model.resources.get(of)!
      const speech: Speech = {
        resource,
        moment: 'write',
        ...(batch && {
          variables: namesOfBatch(resource),
        }),
      }
      const place = { site, path: [name, 'notification'], speech, name: `tell.${name}` }
      const compiled = notifications.compile(notification, place)
      const condition =
        when === undefined ? undefined : site.expression(when, [name, 'when'], { ...speech, kind: 'boolean' })
      return compiled === undefined ? [] : [{ name, resource, compiled, condition, batch }]
    })
    return {
      actions: [
        {
          name: 'batch',
          summary: 'Tell of all records at once',
          access: ['*'],
          input: z.object({ name: z.string() }),
          routes: ['POST /tell/:name'],
          async handle({ name }: { name: string }, _, data) {
            const { resource, compiled } = tellers.find((one) => one.name === name)!
            const order = [{ column: resource.key.column!, descending: false }]
            const { table } = resource
            const ids = await data.write({ caller: SYSTEM }, async (writes) => {
              const where = { op: 'always' } as const
              const records = await writes.select({ table, columns: table.columns, where, order })
              const batch = records.map((record) => ({ record, neighbours: {} }))
              const context = { now: Date.now, variables: { records, count: records.length } }
              return compiled.raise(writes, {
                source: { kind: 'schedule', name },
                resource: undefined,
                recordId: null,
                context,
                batch,
              })
            })
            return { ids }
          },
        },
      ],
      async afterWrite(change, writes) {
        for (const teller of tellers) {
          if (teller.batch || teller.resource !== change.resource) continue
          const { name, compiled, condition } = teller
          const context = await evaluationOf(change, expressionsOf(compiled, condition), writes)
          if (condition !== undefined && !condition.holds(context)) continue
          await compiled.raise(writes, {
            source: { kind: 'rule', name },
            resource: change.resource,
            recordId: change.key ?? null,
            context,
          })
        }
      },
    }
  },
})

const expressionsOf = ({ expressions }: CompiledNotification, condition: Expression | undefined) => [
  ...expressions,
  ...(condition ? [condition] : []),
]

/** Adds the key `tell`. */
export const tell: Plugin = definePlugin({
  name: 'tell',
  phase: 'domain',
  requires: { domains: DomainsCapability, notifications: NotificationsCapability },
  setup: ({ domains, notifications }) => domains.block(tellBlock(notifications)),
})
