import type { Path } from '@svc/domain/contract'
import type { Draft } from './drafts.ts'

/** A way from one step to another, as it is written. */
export interface Edge {
  /** A step, or `end`. */
  readonly to: string
  readonly path: Path
}

/** Where a line ends. */
export const END = 'end'

/** The keys of a wait may stand in it or beside it. */
export function waitKeys({ written, path }: Draft) {
  const { wait } = written
  const key = <K extends 'then' | 'else' | 'condition'>(name: K) => ({
    value: wait?.[name] ?? written[name],
    path: wait?.[name] === undefined ? [...path, name] : [...path, 'wait', name],
    isTwice: wait?.[name] !== undefined && written[name] !== undefined,
  })
  return { then: key('then'), else: key('else'), condition: key('condition') }
}

/** The ways that lead on from a step in its own branch, but for that to the next one of the text. */
export function edgesOf(draft: Draft): readonly Edge[] {
  const { written, path, kind } = draft
  if (kind === 'decide')
    return (written.decide ?? []).map(({ then }, at) => ({ to: then, path: [...path, 'decide', at, 'then'] }))
  if (kind !== 'wait')
    return written.then === undefined ? [] : [{ to: written.then, path: [...path, 'then'] }]
  const keys = waitKeys(draft)
  const late = written.wait?.timeout?.then
  return [
    ...[keys.then, keys.else].flatMap(({ value, path: at }) =>
      value === undefined ? [] : [{ to: value, path: at }],
    ),
    ...(late === undefined ? [] : [{ to: late, path: [...path, 'wait', 'timeout', 'then'] }]),
  ]
}

/** Whether a line may come to the end of this step without being told where it leads. */
export function leadsOn(draft: Draft): boolean {
  if (draft.kind === 'decide') return false
  if (draft.kind !== 'wait') return draft.written.then === undefined
  const { then, else: otherwise, condition } = waitKeys(draft)
  const { resource, timeout } = draft.written.wait ?? {}
  const late = resource === undefined && timeout !== undefined && timeout.then === undefined
  return then.value === undefined || (condition.value !== undefined && otherwise.value === undefined) || late
}

/** The branches that a step names, each by its first step. */
export function branchesOf({ name, kind, written, path }: Draft): readonly Edge[] {
  if (kind === 'forEach' && written.forEach !== undefined) {
    const { step } = written.forEach
    return [{ to: typeof step === 'string' ? step : `${name}.step`, path: [...path, 'forEach', 'step'] }]
  }
  if (kind !== 'parallel' || written.parallel === undefined) return []
  const { steps } = written.parallel
  const at = [...path, 'parallel', 'steps']
  return Array.isArray(steps)
    ? steps.map((to, index) => ({ to, path: [...at, index] }))
    : Object.keys(steps).map((to) => ({ to, path: [...at, to] }))
}
