import { addDuration, Failure, failureOf, passOver, resultOf } from '@svc/automation/contract'
import type { Writes } from '@svc/domain/contract'
import type {
  ActionStep,
  DecideStep,
  ForEachStep,
  ParallelStep,
  Step,
  StepKind,
  WaitStep,
} from '../graph/step.ts'
import type { Value } from '@svc/store/contract'
import { contextOf } from './context.ts'
import type { Course } from './course.ts'
import { beginLine, goOn, takeItem } from './going.ts'
import { findItems } from './items.ts'
import { keptRecord, recordOf } from './records.ts'
import { restingOf } from './resting.ts'
import { soundStep } from './sound.ts'
import type { Line } from './rows.ts'

/** The present step of a line, about to be done. */
interface Doing<S> {
  readonly course: Course
  readonly line: Line
  readonly step: S
  readonly writes: Writes
}

const DO: { readonly [K in StepKind]: (doing: Doing<Extract<Step, { kind: K }>>) => Promise<void> } = {
  action: act,
  wait: rest,
  decide,
  parallel: part,
  forEach: each,
}

/** Does the present step of a line: its writes, its result and where the line is then. Throws what it fails with. */
export async function performStep(course: Course, line: Line, writes: Writes): Promise<void> {
  course.assertMayBegin()
  await perform({ course, line, writes, step: soundStep(course, line) })
}

function perform({ step, ...doing }: Doing<Step>): Promise<void> {
  switch (step.kind) {
    case 'action':
      return DO.action({ ...doing, step })
    case 'wait':
      return DO.wait({ ...doing, step })
    case 'decide':
      return DO.decide({ ...doing, step })
    case 'parallel':
      return DO.parallel({ ...doing, step })
    case 'forEach':
      return DO.forEach({ ...doing, step })
  }
}

async function act({ course, line, step, writes }: Doing<ActionStep>): Promise<void> {
  const { instance, workflow } = course
  const { context, key, resource } = await contextOf(course, line, step)
  const by = { kind: 'workflow', name: workflow.name }
  const why = resource && (await passOver({ by, resource, key: key ?? null }, writes, course.setting.log))
  if (why !== undefined) {
    const error = { ...failureOf(why) }
    await course.begin(line, { kind: 'action', status: 'completed', finishedAt: course.at, error })
    return goOn(course, line, step.next, null)
  }
  const done = await step.action.perform({
    writes,
    context,
    key,
    source: { kind: 'workflow', name: workflow.name, step: step.name, id: instance.id },
    depth: line.depth + 1,
  })
  const { target } = step.action
  const written = target && done.record && { record: done.record, target }
  const result = written
    ? { of: written.target.name, record: keptRecord(written.record, written.target) }
    : valued(resultOf({ ...done, record: undefined }))
  course.keep(result)
  await course.begin(line, {
    kind: 'action',
    status: 'completed',
    finishedAt: course.at,
    result,
    ...(written && recordOf(written.target, written.record)),
  })
  await goOn(course, line, step.next, result)
}

const valued = (value: Value): { readonly value: Value } | null => (value === null ? null : { value })

async function rest({ course, line, step }: Doing<WaitStep>): Promise<void> {
  const { setting, transaction } = course
  const { wait, duration } = step
  const until =
    duration === undefined ? null : new Date(addDuration(setting.env.now(), duration)).toISOString()
  const entry = await course.begin(line, { kind: 'wait', status: 'waiting' })
  const resting = await course.changeLine(line, { status: 'waiting', entry, until })
  if (until !== null)
    await setting.timers.put(
      transaction,
      { domain: setting.model.name, instance: line.instance, line: line.id, turn: line.turn, until },
      { at: until, key: line.id },
    )
  if (wait !== undefined) await setting.waits.rest(transaction, restingOf(course, resting, step, wait))
}

async function decide({ course, line, step }: Doing<DecideStep>): Promise<void> {
  const { context } = await contextOf(course, line, step)
  const taken = step.branches.find(({ condition }) => condition.holds(context)) ?? step.fallback
  if (taken === undefined)
    throw new Failure('NO_BRANCH', `No condition of '${step.name}' is true, and it has no default`)
  await course.begin(line, { kind: 'decide', status: 'completed', finishedAt: course.at })
  await goOn(course, line, taken.next, null)
}

async function part({ course, line, step }: Doing<ParallelStep>): Promise<void> {
  const entry = await course.begin(line, { kind: 'parallel', status: 'running' })
  const { id, depth, heard, event } = await course.changeLine(line, { status: 'joining', entry })
  for (const branch of step.branches) await beginLine(course, { parent: id, branch, depth, heard, event })
}

async function each({ course, line, step }: Doing<ForEachStep>): Promise<void> {
  const { context } = await contextOf(course, line, step)
  const items = await findItems(course, step, context)
  course.keep([...items])
  const entry = await course.begin(line, { kind: 'forEach', status: 'running' })
  const joining = await course.changeLine(line, { status: 'joining', entry, items: [...items] })
  await takeItem(course, joining, step, 0)
}
