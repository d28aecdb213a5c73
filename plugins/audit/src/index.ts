import { createUuidV7, definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { createJournal } from './journal.ts'
import { listAudit } from './list-audit.ts'
import { recordRequests } from './record-requests.ts'
import { AUDIT_TABLE } from './table.ts'

/** Puts every request that reaches the audit step on record, and lists the records. */
export const audit = definePlugin({
  name: 'audit',
  phase: 'auth',
  requires: { store: StoreCapability },
  async setup({ store, env, log, pipeline, actions, onStop }) {
    const aside = store.journal
    await aside.ensure([AUDIT_TABLE])
    const journal = createJournal(aside, log)
    pipeline.fill('audit', recordRequests({ journal, now: env.now, newId: createUuidV7(env) }))
    actions.add(listAudit({ store: aside, journal }))
    onStop(() => journal.close())
  },
})
