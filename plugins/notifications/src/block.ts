import type { DomainBlock, Model } from '@svc/domain/contract'
import type { ShownParts } from './ledger/shown.ts'
import { notificationWindow } from './ledger/window.ts'
import type { OpenDomain } from './outbox/parts.ts'
import type { ResendParts } from './outbox/resend.ts'
import { mentionsIn } from './outbox/mentions.ts'
import { sealingOf } from './outbox/sealing.ts'
import { ENTRY, RAISED, tablesOf } from './outbox/tables.ts'

export interface BlockParts extends ResendParts, Omit<ShownParts, 'site'> {
  /** Whether something in the model declares a notification. */
  readonly isDeclared: (model: Model) => boolean
  /** The domains whose messages this server sends, by name. */
  readonly open: Map<string, OpenDomain>
}

/**
 * The outbox of every domain: nothing is written for it. It comes after all keys, and where one of them declares a
 * notification the domain has its tables and endpoints. What is left of others is sent all the same.
 */
export const outboxBlock = (parts: BlockParts): DomainBlock => ({
  on: 'domain',
  key: 'notifications',
  compile(_, site) {
    const { model } = site
    const live = {
      open(data: OpenDomain['data']) {
        const domain: OpenDomain = { data, site }
        parts.open.set(model.name, domain)
        return () => {
          if (parts.open.get(model.name) === domain) parts.open.delete(model.name)
        }
      },
    }
    if (!parts.isDeclared(model)) return live
    const { entries, raised } = tablesOf(model.name)
    const sealing = sealingOf(model)
    const window = notificationWindow(model, { ...parts, site })
    return {
      ...live,
      tables: { entries, raised },
      actions: window.actions,
      mixed: [
        { table: entries, columns: [ENTRY.subject, ENTRY.body] },
        { table: raised, columns: [RAISED.facts, RAISED.said, RAISED.named] },
      ],
      keeps: ({ name }) => [
        {
          told: 'notifications',
          table: entries,
          recordId: ENTRY.recordId,
          values: [ENTRY.subject, ENTRY.body],
          where: { op: 'eq', column: ENTRY.resource, value: name },
          open: (row) => ({
            ...row,
            [ENTRY.subject.name]: sealing.open(row[ENTRY.subject.name]),
            [ENTRY.body.name]: sealing.open(row[ENTRY.body.name]),
          }),
        },
        {
          table: raised,
          recordId: RAISED.recordId,
          values: [RAISED.facts, RAISED.said, RAISED.named],
          where: { op: 'eq', column: RAISED.resource, value: name },
        },
      ],
      mentions: mentionsIn({ entries, raised }, () => parts.env.now()),
      describe: () => ({ openapi: window.openapi }),
    }
  },
})
