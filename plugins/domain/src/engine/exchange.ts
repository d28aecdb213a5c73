import { type Action, type Actions, AppError, type Call, errors, isPending } from '@svc/kernel'
import { SchemaMoved, ValueRefused } from '@svc/store/contract'
import type { Gate } from './gate.ts'

/** What the actions of a domain need to be exchanged for those of its next definition. */
export interface Exchange {
  readonly gate: Gate
  readonly actions: Actions
  /** Looks whether another server has changed the definition, and takes the change over. */
  refresh(): Promise<void>
  /** Whether another server may have changed a definition: it is looked before anything is done by this one. */
  isStale?(): boolean
  /** Whether an input names what the model does not know: another server may have added it a moment ago. */
  isUnknown?(action: Action, input: unknown): boolean
}

/**
 * Actions that never answer from two definitions at once. A write keeps the definition from being exchanged
 * while it runs; a read runs at once, and starts again on the new definition where it has met the exchange.
 */
export const exchangeable = (actions: readonly Action[], exchange: Exchange): readonly Action[] =>
  actions.map((action) => {
    const isCurrent = () => exchange.actions.find(action.name) === exchanged
    const run = isRead(action) ? read : action.notes?.['alters'] === true ? alter : write
    const exchanged: Action = {
      ...action,
      handle: (input, call) =>
        call.request !== undefined &&
        (exchange.isStale?.() === true || exchange.isUnknown?.(action, input) === true)
          ? look(isCurrent, run, action, input, call, exchange)
          : run(action, input, call, exchange),
    }
    return exchanged
  })

const isRead = ({ routes = [] }: Action): boolean =>
  routes.length > 0 && routes.every((route) => route.startsWith('GET '))

type Run = (action: Action, input: unknown, call: Call, exchange: Exchange) => unknown

/** What changes the model itself would wait for its own end inside the gate. */
const alter: Run = (action, input, call) => action.handle(input, call)

/** Runs an action once it is sure that no other server has brought what its input names. */
async function look(
  isCurrent: () => boolean,
  run: Run,
  ...[action, input, call, exchange]: Parameters<Run>
): Promise<unknown> {
  await exchange.refresh()
  // It may have been exchanged before it was called, too.
  return isCurrent() ? run(action, input, call, exchange) : again(action, input, call, exchange)
}

/** What is answered at once has met no exchange, unless one was under way. */
const read: Run = (action, input, call, exchange) => {
  const { gate } = exchange
  const { epoch } = gate
  try {
    const result = action.handle(input, call)
    if (!isPending(result) && !gate.isChanging) return result
    return watched(result, epoch, action, input, call, exchange)
  } catch (error) {
    if (!gate.isChanging && !mayBeMoved(error)) throw error
    return watched(failed(error), epoch, action, input, call, exchange)
  }
}

/** Whether a read may have failed since another server has changed the definition: what is stored has another form then, too. */
const mayBeMoved = (error: unknown): boolean => error instanceof SchemaMoved || !(error instanceof AppError)

/** The error where the definition is the same: what only looked like another one was something else. */
const meant = (error: unknown): unknown => (error instanceof ValueRefused ? error.cause : error)

const failed = async (error: unknown): Promise<never> => {
  throw error
}

/** Reads anew where the definition was exchanged since `epoch`, before there was a result. */
async function watched(
  result: unknown,
  epoch: number,
  ...[action, input, call, exchange]: Parameters<Run>
): Promise<unknown> {
  const { gate } = exchange
  const undisturbed = () => gate.epoch === epoch && !gate.isChanging
  try {
    const settled = await result
    if (undisturbed()) return settled
    await gate.opened()
    if (undisturbed()) return settled
  } catch (error) {
    if (undisturbed() && !mayBeMoved(error)) throw error
    await gate.opened()
    if (undisturbed()) await exchange.refresh()
    if (undisturbed()) throw meant(error)
  }
  return again(action, input, call, exchange)
}

/** What is refused at once, which most refusals are, promises nothing. */
const write: Run = (action, input, call, exchange) => {
  const { gate } = exchange
  const { epoch } = gate
  const passage = gate.pass(call.request === undefined)
  if (passage === undefined) return inside(epoch, action, input, call, exchange)
  return passage.then(() => inside(epoch, action, input, call, exchange))
}

/** Writes inside the gate, and leaves it; `epoch` is that of the definition whose action this is. */
function inside(epoch: number, ...[action, input, call, exchange]: Parameters<Run>): unknown {
  const { gate } = exchange
  if (gate.epoch !== epoch) {
    gate.leave()
    return again(action, input, call, exchange)
  }
  try {
    const result = action.handle(input, call)
    if (isPending(result)) return settled(result, epoch, action, input, call, exchange)
    gate.leave()
    return result
  } catch (error) {
    gate.leave()
    return afresh(error, epoch, action, input, call, exchange)
  }
}

async function settled(
  result: PromiseLike<unknown>,
  epoch: number,
  ...asked: Parameters<Run>
): Promise<unknown> {
  const [, , , { gate }] = asked
  try {
    const written = await result
    gate.leave()
    return written
  } catch (error) {
    gate.leave()
    return afresh(error, epoch, ...asked)
  }
}

/** Writes by the definition that the schema is of by now; throws what else a write failed with. */
function afresh(error: unknown, epoch: number, ...asked: Parameters<Run>): Promise<unknown> {
  if (!(error instanceof SchemaMoved || error instanceof ValueRefused)) throw error
  return byTheNext(error, epoch, ...asked)
}

async function byTheNext(
  error: SchemaMoved | ValueRefused,
  epoch: number,
  ...[action, input, call, exchange]: Parameters<Run>
): Promise<unknown> {
  await exchange.refresh()
  // Nothing of the write was kept: its transaction ended with the error.
  if (exchange.gate.epoch === epoch) throw meant(error)
  // The bytes of a body come once.
  if (action.rawBody !== undefined) throw moved()
  return again(action, input, call, exchange)
}

function again(action: Action, input: unknown, call: Call, { actions }: Exchange): unknown {
  const now = actions.find(action.name)
  if (now === undefined) throw errors.NOT_FOUND({ message: 'This is no longer offered' })
  return now.handle(input, call)
}

const moved = () =>
  errors.UNAVAILABLE({ message: 'The definition has changed meanwhile: send the request again' })
