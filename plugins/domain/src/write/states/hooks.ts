import { AppError } from '@svc/kernel'
import { domainErrors } from '../../errors.ts'
import { stateOf } from '../../model/state-machine.ts'
import { type Change, trialOf } from '../change.ts'
import { eventOf } from '../emit.ts'
import { readPrevious } from '../previous.ts'
import { valuesOf } from '../values.ts'
import { assign } from './assign.ts'
import { moveState } from './move.ts'

/**
 * Runs the onExit hooks of the state that a change would leave. They run before the transaction, which must not
 * wait for anybody, and are told the record as it would be; inside it the move is judged again, on the record as it
 * is by then.
 */
export async function runExitHooks(change: Change): Promise<void> {
  const machine = change.resource.stateMachine
  if (machine === undefined || ![...machine.states.values()].some(({ onExit }) => onExit.length > 0)) return
  const { kind, values, operation } = change
  const mayMove = kind === 'transition' || machine.field in values || operation?.fields.has(machine.field)
  if (!mayMove) return
  const trial = trialOf(change, valuesOf(values))
  await readPrevious(trial, trial.reader, false)
  if (operation) assign(trial, operation.fields)
  const moving = moveState(trial, trial.reader)
  if (moving !== undefined) await moving
  if (trial.transition === undefined) return
  trial.record = { ...trial.previous, ...trial.values }
  const state = machine.states.get(stateOf(machine, trial.previous!))
  for (const hook of state?.onExit ?? []) await ask(hook, hookEvent(hook, trial), trial)
}

/** Tells the handlers of a hook and answers what they returned. Throws HOOK_FAILED with the first one's message. */
export async function ask(hook: string, event: object, change: Change): Promise<readonly unknown[]> {
  try {
    return await change.runtime.bus.invoke(`${change.resource.actionPrefix}${hook}`, event)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw domainErrors.HOOK_FAILED({ message, ...(!(error instanceof AppError) && { cause: error }) })
  }
}

/** Tells the onEnter hooks of the state that a change has reached; their failures are logged. */
export function runEnterHooks(change: Change): void {
  const { transition, resource, runtime } = change
  if (transition === undefined) return
  const state = resource.stateMachine?.states.get(transition.to)
  for (const hook of state?.onEnter ?? []) {
    runtime.bus.emit(`${resource.actionPrefix}${hook}`, hookEvent(hook, change))
  }
}

const hookEvent = (hook: string, change: Change) => ({
  ...eventOf(change),
  hook,
  transition: change.transition?.name,
  input: change.body ?? null,
})
