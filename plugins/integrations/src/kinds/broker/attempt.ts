import { OutboundError } from '@svc/outbound/contract'
import type { Value } from '@svc/store/contract'
import type { Attempted, AttemptFailure } from '../../run/attempted.ts'
import { failureOf } from '../../wire/outbound-failure.ts'

/** A broker has said no to a message. */
export class Refused extends Error {
  readonly kind: AttemptFailure['kind']

  constructor(message: string, kind: AttemptFailure['kind'] = 'answer') {
    super(message)
    this.kind = kind
  }
}

/** Publishes once, and judges what came of it; `giveUp` ends a connection that did not answer in time. */
export async function attemptPublish(
  publish: (signal: AbortSignal) => Promise<Value>,
  giveUp: () => void,
  {
    signal,
    timeoutMs,
    shown,
  }: { readonly signal: AbortSignal; readonly timeoutMs: number; readonly shown: string },
): Promise<Attempted> {
  const late = AbortSignal.timeout(timeoutMs)
  const ending = AbortSignal.any([signal, late])
  const began = performance.now()
  const told = (response: Value, failure: AttemptFailure | undefined): Attempted => ({
    status: null,
    headers: {},
    response,
    durationMs: Math.round((performance.now() - began) * 10) / 10,
    failure,
  })
  let stop: () => void = () => undefined
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(ending.reason as Error)
    ending.addEventListener('abort', stop, { once: true })
  })
  ended.catch(() => undefined)
  try {
    return told(await Promise.race([publish(ending), ended]), undefined)
  } catch (error) {
    // Whoever has gone says nothing about the connection, which others use.
    if (late.aborted) giveUp()
    if (signal.aborted)
      return told(null, { kind: 'cancelled', message: 'it was given up', mayHaveArrived: true })
    if (late.aborted)
      return told(null, {
        kind: 'timeout',
        message: `${shown}: no word in ${timeoutMs} ms`,
        mayHaveArrived: true,
      })
    if (error instanceof OutboundError) return told(null, failureOf(error))
    if (error instanceof Refused)
      return told(null, { kind: error.kind, message: error.message, mayHaveArrived: false })
    const code = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
    if (typeof (error as { code?: unknown }).code !== 'string' && !(error instanceof Error)) throw error
    const message = error instanceof Error ? error.message : String(error)
    return told(null, {
      kind: code === undefined ? 'network' : 'answer',
      message: `${shown}: ${message}`,
      mayHaveArrived: true,
    })
  } finally {
    ending.removeEventListener('abort', stop)
  }
}
