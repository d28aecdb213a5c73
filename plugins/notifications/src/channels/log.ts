import type { Logger } from '@svc/kernel'
import type { Channel } from '../channel.ts'

/** `log`: one line in the server's log, with what anybody may see. */
export const logChannel = (log: Logger): Channel => ({
  type: 'log',
  isAddressed: false,
  deliver({ id, domain, name, resource, recordId, subject, body, recipients }) {
    log.info({ id, domain, name, resource, recordId, subject, body, recipients }, 'notifications.message')
    return Promise.resolve({ status: 'logged' })
  },
})
