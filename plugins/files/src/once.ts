import type { Accounts } from '@svc/auth/contract'
import { type KeptAnswers, keptOnce } from '@svc/domain/contract'
import type { Call, Environment, Reply } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import type { Kept } from './contract.ts'
import { entering } from './entering.ts'

/** Enters bytes that are kept, once for each `Idempotency-Key`; where nothing comes of it they go again. */
export type Once = (
  name: string,
  sent: unknown,
  call: Call,
  kept: Kept,
  answer: () => Reply,
) => Promise<Reply>

export function createOnce(store: Store, env: Environment, accounts: Accounts): Once {
  const answers: KeptAnswers = { store, env, running: new Set(), transaction: accounts.transaction }
  return (name, sent, call, kept, answer) =>
    entering(kept, (begins) =>
      keptOnce(answers, { name, path: [], sent }, call, (transact) =>
        transact(async (transaction) => {
          begins()
          await kept.enter(transaction)
          return answer()
        }),
      ),
    )
}
