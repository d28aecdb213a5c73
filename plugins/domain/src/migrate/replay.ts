import { errors } from '@svc/kernel'
import type { Definition } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import { diffModels } from './diff.ts'
import { namingTables } from './follow-names.ts'
import { markRolledBack, priorOf, type StoredMigration, type StoredVersion } from './journal.ts'
import { pairModels } from './pairs.ts'
import { run } from './plan.ts'
import { reverseWork } from './reverse.ts'
import { keepStates, stateDoubts, statesIn } from './states.ts'
import type { DataStep } from './step.ts'
import { columnOf } from './tables.ts'

/** A migration to take back, and what it led to and came from. */
export interface Return {
  readonly migration: StoredMigration
  readonly after: Model
  readonly before: Model
}

/** The migrations to take back, the newest first, with the version that each leads back to. */
export function returnsTo(
  migrations: readonly StoredMigration[],
  target: string | undefined,
): readonly { readonly migration: StoredMigration; readonly prior: StoredVersion }[] {
  const found: { migration: StoredMigration; prior: StoredVersion }[] = []
  for (const migration of migrations.filter(({ status }) => status === 'success')) {
    const prior = priorOf(migration)
    if (prior === undefined) break
    found.push({ migration, prior })
    if (target === undefined || prior.version === target) return found
  }
  if (target !== undefined)
    throw errors.NOT_FOUND({ message: `No earlier version '${target}' is on record: see the migrations` })
  throw errors.CONFLICT({ message: 'There is no earlier version to go back to' })
}

/** Takes migrations back, in order. What they dropped stays lost; what they added is lost now. */
export async function replay(returns: readonly Return[], definition: Definition): Promise<void> {
  // A version that is kept knows its own tables alone, and not all that blocks have.
  const tables = returns[0] ? namingTables(returns[0].after) : []
  for (const { migration, before, after } of returns) {
    const work = diffModels(before, after)
      .flatMap((step) => step.work)
      .map((one) => (one.kind === 'followName' ? { ...one, tables } : one))
    await run([...reverseWork(work), ...leaveStates(before, after)], definition)
    await markRolledBack(migration, definition)
  }
}

/** Records in a state that was new go to the initial one: they could never leave it. So do those without a state. */
const leaveStates = (before: Model, after: Model): readonly DataStep[] =>
  pairModels(before, after).resources.kept.flatMap(({ from, to, fields }): readonly DataStep[] => {
    const { table, stateMachine } = from
    const column = stateMachine && columnOf(table, stateMachine.field)
    if (stateMachine === undefined || column === undefined) return []
    const later = fields.kept.find((field) => field.from.name === column.name)?.to
    if (stateDoubts(later && statesIn(later, to), stateMachine).length === 0) return []
    return [
      { kind: 'rewrite', table, from: column, to: column, convert: keepStates(stateMachine) },
      { kind: 'fill', table, column, value: stateMachine.initial },
    ]
  })
