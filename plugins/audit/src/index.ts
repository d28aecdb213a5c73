import { AccountsCapability } from '@svc/auth/contract'
import { createUuidV7, definePlugin, repeat } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { CATCH_UP_MS, createErasedAccounts } from './erased-accounts.ts'
import { ERASED_TABLE } from './erased-table.ts'
import { createJournal } from './journal.ts'
import { listAudit } from './list-audit.ts'
import { recordRequests } from './record-requests.ts'
import { AUDIT_TABLE } from './table.ts'

/** Puts every request that reaches the audit step on record, and lists the records. */
export const audit = definePlugin({
  name: 'audit',
  phase: 'auth',
  requires: { store: StoreCapability },
  optional: { accounts: AccountsCapability },
  async setup({ store, accounts, env, log, pipeline, actions, bus, onOpen, onStop }) {
    const aside = store.journal
    const newId = createUuidV7(env)
    await aside.ensure([AUDIT_TABLE])
    const journal = createJournal({ store: aside, log, newId })
    pipeline.fill('audit', recordRequests({ journal, now: env.now }))
    actions.add(listAudit({ store: aside, journal }))
    onStop(() => journal.close())
    if (accounts === undefined) return
    await store.ensure([ERASED_TABLE])
    const key = accounts.deriveKey('names of erased accounts')
    const erased = createErasedAccounts({ store, journal, key, env, log, newId })
    onStop(bus.on('auth.account.removing', (removal) => erased.removing(removal)))
    onOpen(() => {
      const failure = 'audit.names_not_erased'
      const end = repeat(() => erased.catchUp(), { firstMs: 0, everyMs: CATCH_UP_MS, log, failure })
      return async () => {
        await end()
        await erased.close()
      }
    })
  },
})
