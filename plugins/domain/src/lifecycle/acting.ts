import type { Accounts } from '@svc/auth/contract'
import type { Warning } from '@svc/kernel'
import { pathText } from '../definition/problem.ts'
import type { Model } from '../model/model.ts'

/** The usernames as whom parts of a model act, and where that is written. */
const actingIn = (model: Model): readonly { readonly username: string; readonly at: string }[] =>
  model.parts.flatMap(({ key, resource, part }) =>
    resource === undefined
      ? (part.actsAs ?? []).map(({ username, path }) => ({
          username,
          at: pathText(['domain', key, ...path]),
        }))
      : [],
  )

/** The usernames that nobody registers for themselves while these models are in force: who has one would own what is written as it. */
export const actingNames = (models: readonly Model[]): readonly string[] =>
  models.flatMap((model) => actingIn(model).map(({ username }) => username))

/** Warns of the accounts as whom a model acts and that are not there, or are not active. */
export async function absentActors(
  model: Model,
  accounts: Pick<Accounts, 'find'> | undefined,
): Promise<readonly Warning[]> {
  if (accounts === undefined) return []
  const warnings: Warning[] = []
  for (const { username, at } of actingIn(model)) {
    const found = await accounts.find(username)
    if (found?.status === 'active' && found.username === username) continue
    const message = `${at}: there is no active account '${username}', and what acts as it fails until there is: seed it, or register it as an administrator`
    warnings.push({ rule: 'no_account', message, severity: 'warning', regulation: null })
  }
  return warnings
}
