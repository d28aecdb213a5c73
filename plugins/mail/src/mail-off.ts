import type { Mailer } from './contract.ts'

/** The mailer where mail is switched off. */
export const MAIL_OFF: Mailer = {
  enabled: false,
  send: () => undefined,
  deliver: () => Promise.reject(new Error("mail is switched off: set 'email.enabled'")),
}
