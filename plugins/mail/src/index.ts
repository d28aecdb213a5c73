import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'
import { MailerCapability } from './contract.ts'
import { MAIL_OFF } from './mail-off.ts'
import { createOutbox } from './outbox.ts'

/** Sends mail over SMTP. It is set up before accounts, whose tokens it carries. */
export const mail = definePlugin({
  name: 'mail',
  section: 'email',
  phase: 'auth',
  config,
  provides: MailerCapability,
  async setup({ config, env, log, onStop }) {
    if (!config.enabled) return MAIL_OFF
    const { createSmtp } = await import('./smtp.ts')
    const handOver = createSmtp(config, env)
    const outbox = createOutbox(handOver, log)
    onStop(outbox.flush)
    return { enabled: true, send: outbox.put, deliver: handOver }
  },
})
