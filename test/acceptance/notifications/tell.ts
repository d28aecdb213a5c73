import { type DomainBlock, DomainsCapability, evaluationOf, type Expression } from '@svc/domain/contract'
import { definePlugin, type Plugin } from '@svc/kernel'
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
  notification: NotificationDefinition,
})

/** A key `tell`: each entry raises its notification with every write of a resource for which `when` holds. */
const tellBlock = (notifications: Notifications): DomainBlock<Record<string, z.output<typeof Tell>>> => ({
  on: 'domain',
  key: 'tell',
  schema: z.record(z.string(), Tell),
  compile(written, site) {
    if (written === undefined) return undefined
    const tellers = Object.entries(written).flatMap(([name, { resource: of, when, notification }]) => {
      const resource = site.model.resources.get(of)!
      const speech = { resource, moment: 'write' } as const
      const place = { site, path: [name, 'notification'], speech, name: `tell.${name}` }
      const compiled = notifications.compile(notification, place)
      const condition =
        when === undefined ? undefined : site.expression(when, [name, 'when'], { ...speech, kind: 'boolean' })
      return compiled === undefined ? [] : [{ name, resource, compiled, condition }]
    })
    return {
      async afterWrite(change, writes) {
        for (const teller of tellers) {
          if (teller.resource !== change.resource) continue
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
