import type { Site } from '@svc/domain/contract'
import type { Known } from '@svc/expression/contract'
import type { NotificationDefinition } from '@svc/notifications/contract'
import type { ResilienceDefinition } from '../definition/resilience.ts'
import type { Parts } from '../parts.ts'
import { NOTICE_VARIABLES } from '../run/notices.ts'
import type { Notices } from '../policies.ts'

/** What administrators are told where a definition does not say it otherwise. */
const USUAL: NotificationDefinition = {
  channels: ['log'],
  recipients: { roles: ['admin'] },
  template: { body: '{$integration}: {$notice} {$operation}: {$error}' },
}

/** What is written of resilience. */
interface Resilient extends Pick<ResilienceDefinition, 'deadLetter'> {
  readonly resilience?: ResilienceDefinition | undefined
}

/** Compiles whom dead letters and open breakers are told to, and how. */
export function compileNotices(
  name: string,
  { deadLetter, resilience }: Resilient,
  site: Site,
  { notifications }: Pick<Parts, 'notifications'>,
): Notices {
  const { enabled = true, notifyOn = ['added'] } = deadLetter ?? resilience?.deadLetter ?? {}
  const isList = Array.isArray(notifyOn)
  const on = new Set(isList ? notifyOn : notifyOn.on)
  if (!enabled || on.size === 0) return { on: new Set(), notification: undefined }
  const around = deadLetter ? [name] : [name, 'resilience']
  const notification = notifications.compile(isList ? USUAL : notifyOn.notification, {
    site,
    path: [...around, 'deadLetter', 'notifyOn', 'notification'],
    speech: {
      moment: 'read',
      variables: new Map<string, Known>(NOTICE_VARIABLES.map((one) => [one, 'text'])),
    },
    name: `integrations.${name}`,
    ...(isList && { isOwn: true as const }),
  })
  return { on, notification }
}
