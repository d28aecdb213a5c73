import { failureOf, type FailureText } from '@svc/automation/contract'
import type { Value } from '@svc/store/contract'
import { LINE } from '../tables/lines.ts'
import { cancelAll, isLive } from './cancelling.ts'
import { childrenOf, type Course } from './course.ts'
import { finish } from './ending.ts'
import { beginLine } from './going.ts'
import { isMap } from './results.ts'
import type { Line } from './rows.ts'

/** The present step of a line has failed: the line has, with whoever waits for it, and at last the instance. */
export async function failStep(course: Course, line: Line, error: unknown): Promise<void> {
  const { code, message } = failureOf(error)
  const failure = { code, message }
  const settled = { status: 'failed', finishedAt: course.at, error: failure } as const
  const entry = line.entry ?? (await course.begin(line, { kind: kindOf(course, line), ...settled }))
  if (line.entry !== null) await course.settle(entry, settled)
  await failLine(course, { ...line, entry }, line.step, failure)
}

const kindOf = ({ workflow }: Course, { step: name }: Line): string => {
  const step = workflow.steps.get(name)
  return step?.kind === 'faulty' ? step.of : (step?.kind ?? 'action')
}

async function failLine(course: Course, line: Line, step: string, failure: FailureText): Promise<void> {
  await course.changeLine(line, { status: 'failed', until: null, entry: line.entry })
  if (line.parent === null) return failInstance(course, step, failure)
  const parent = await course.line(line.parent)
  if (parent?.status !== 'joining') return
  const joined = course.workflow.steps.get(parent.step)
  if (joined?.kind === 'parallel' && joined.mode === 'any') {
    const branches = await course.lines(childrenOf(parent))
    if (branches.some(isLive)) return
  }
  if (parent.entry !== null)
    await course.settle(parent.entry, { status: 'failed', finishedAt: course.at, error: { ...failure } })
  await failLine(course, parent, step, failure)
}

/** A line that nobody waits for has failed: the main one, the handler, or what is done when the time is over. */
async function failInstance(course: Course, step: string, { code, message }: FailureText): Promise<void> {
  const { instance, workflow, setting, transaction } = course
  await cancelAll(course)
  if (instance.outcome !== null) {
    const before = isMap(instance.error) ? instance.error : {}
    const error: Value =
      instance.outcome === 'failed'
        ? { ...before, handler: { step, code, message } }
        : { step, code, message }
    course.change({ error })
    return finish(course, instance.outcome)
  }
  if (instance.until !== null) await setting.timers.cancel(transaction, instance.id)
  course.change({ error: { step, code, message }, outcome: 'failed', until: null })
  if (workflow.onError === undefined) return finish(course, 'failed')
  const [main] = await course.lines({ op: 'null', column: LINE.parent })
  const { depth = instance.depth, heard = null, event = null } = main ?? {}
  await beginLine(course, { parent: null, branch: workflow.onError, depth, heard, event })
}
