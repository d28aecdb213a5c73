import type { Performer, Performing } from '@svc/automation/contract'
import { NotificationDefinition, type Notifications, type Raised } from './contract.ts'

/** How the action `notify` is done: the notification that stands beside it is raised. */
export const notifyPerformer = (notifications: Pick<Notifications, 'compile'>): Performer => ({
  compile({ notification: written }, { site, path, speech, resource, name }) {
    const parsed = NotificationDefinition.safeParse(written)
    if (!parsed.success) {
      site.problem(
        [...path, 'notification'],
        "is what 'notify' sends, and is missing",
        'Write a notification',
      )
      return undefined
    }
    const compiled = notifications.compile(parsed.data, {
      site,
      path: [...path, 'notification'],
      speech,
      name: name.join('.'),
    })
    if (compiled === undefined) return undefined
    return {
      expressions: compiled.expressions,
      async perform({ writes, ...performing }) {
        return { notificationIds: await compiled.raise(writes, raisedBy(performing, resource)) }
      },
    }
  },
})

function raisedBy(
  { source, key, context, batch }: Omit<Performing, 'writes'>,
  resource: Raised['resource'],
): Raised {
  return {
    source,
    resource,
    recordId: key ?? null,
    context,
    ...(batch && { batch }),
  }
}
