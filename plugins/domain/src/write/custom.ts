import { assign } from './states/assign.ts'
import { ask } from './states/hooks.ts'
import { moveState } from './states/move.ts'
import { type Change, trialOf } from './change.ts'
import { eventOf } from './emit.ts'
import { readPrevious } from './previous.ts'
import { valuesOf } from './values.ts'

/** Sets what a custom operation sets. */
export function assignFields(change: Change): void {
  if (change.operation) assign(change, change.operation.fields)
}

/**
 * Asks the handlers of a custom operation, on the record as it would be. As with the hooks of states this happens
 * before the transaction, which must not wait for anybody, least of all for a handler that writes itself; inside it
 * permission and state are judged again, on the record as it is by then.
 */
export async function askHandlers(change: Change): Promise<void> {
  const trial = trialOf(change, valuesOf(change.values))
  await readPrevious(trial, trial.reader, false)
  assignFields(trial)
  const moving = moveState(trial, trial.reader)
  if (moving !== undefined) await moving
  trial.record = { ...trial.previous, ...trial.values }
  change.answer = await answerOf(trial)
}

/** What the first handler that answers says; undefined where none does. */
export async function answerOf(change: Change): Promise<unknown> {
  const { operation, transition, body } = change
  const { name } = operation!
  const event = { ...eventOf(change), operation: name, transition: transition?.name, input: body ?? null }
  const answers = await ask(name, event, change)
  return answers.find((answer) => answer !== undefined)
}
