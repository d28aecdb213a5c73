import type { Value } from '@svc/store/contract'
import type { ForEachStep, Next, ParallelStep } from '../graph/step.ts'
import { cancelLines, removeBelow } from './cancelling.ts'
import { childrenOf, type Course } from './course.ts'
import { finish } from './ending.ts'
import { isThere } from './items.ts'
import type { Line } from './rows.ts'

/** What a line takes along from its step. */
export type Taken = Partial<Pick<Line, 'depth' | 'heard' | 'event'>>

/** A line goes on from its step: to the next one, or to the end of its branch. */
export async function goOn(
  course: Course,
  line: Line,
  next: Next,
  result: Value,
  taken: Taken = {},
): Promise<void> {
  if (next === undefined) return endLine(course, { ...line, ...taken }, result)
  const coming = { step: next, turn: line.turn + 1, tries: 0, entry: null, until: null, items: null, result }
  await putStep(course, await course.changeLine(line, { ...coming, ...taken, status: 'running' }))
}

/** Puts the work on the present step of a line. */
export async function putStep(
  { setting, transaction }: Course,
  { id, instance, turn, depth }: Line,
): Promise<void> {
  const { model, steps } = setting
  const job = { domain: model.name, instance, line: id, turn, depth: depth + 1 }
  await steps.put(transaction, job, { key: id })
}

/** What a line begins with that has not begun. */
export interface LineStart extends Pick<Line, 'parent' | 'depth' | 'heard' | 'event'> {
  /** The step that it begins with. */
  readonly branch: string
  readonly place?: number
  readonly item?: Value
}

/** Begins a line. */
export async function beginLine(course: Course, start: LineStart): Promise<void> {
  const line: Line = {
    id: course.setting.newId(),
    instance: course.instance.id,
    step: start.branch,
    status: 'running',
    turn: 1,
    tries: 0,
    entry: null,
    until: null,
    items: null,
    place: null,
    item: null,
    result: null,
    ...start,
  }
  await course.addLine(line)
  await putStep(course, line)
}

/** A line has come to its end: whoever waits for it goes on, and the instance has ended where nobody does. */
async function endLine(course: Course, line: Line, result: Value): Promise<void> {
  const { depth } = line
  const ended = { status: 'completed', result, depth, heard: null, items: null, until: null } as const
  await course.changeLine(line, ended)
  // What nobody waits for is the main line, that of the handler, or that of the timeout.
  if (line.parent === null) return finish(course, course.instance.outcome ?? 'completed')
  const parent = await course.line(line.parent)
  if (parent?.status !== 'joining') return
  const step = course.workflow.steps.get(parent.step)
  if (step?.kind === 'parallel') await join(course, parent, step)
  if (step?.kind === 'forEach') await takeItem(course, parent, step, (line.place ?? 0) + 1, line)
}

/** A branch of a parallel has ended: it goes on where that was all, or any, that it waits for. */
async function join(course: Course, parent: Line, step: ParallelStep): Promise<void> {
  const branches = await course.lines(childrenOf(parent))
  const ended = branches.filter(({ status }) => status === 'completed')
  if (step.mode === 'all' && ended.length < branches.length) return
  await cancelLines(
    course,
    branches.filter(({ status }) => status !== 'completed'),
  )
  const result = { branches: Object.fromEntries(ended.map((line) => [line.branch, line.result])) }
  const depth = Math.max(parent.depth, ...ended.map((line) => line.depth))
  await leave(course, parent, { step, branches, result, taken: { depth } })
}

/** Begins with the item at `place`, or goes on where there is none. A record that is gone by its turn is passed over. */
export async function takeItem(
  course: Course,
  parent: Line,
  step: ForEachStep,
  place: number,
  before?: Line,
): Promise<void> {
  const items: readonly Value[] = Array.isArray(parent.items) ? parent.items : []
  const { depth, heard } = before ?? parent
  for (let at = place; at < items.length; at += 1) {
    const item = items[at] ?? null
    if (!(await isThere(course, step, item))) continue
    const { id, event } = parent
    return beginLine(course, { parent: id, branch: step.branch, depth, heard, event, place: at, item })
  }
  const done = await course.lines(childrenOf(parent))
  const results = new Map(done.map((line) => [line.place, line.result]))
  const result = { items: items.map((_, at) => results.get(at) ?? null) }
  await leave(course, parent, { step, branches: done, result, taken: { depth, heard } })
}

interface Leaving {
  readonly step: ParallelStep | ForEachStep
  readonly branches: readonly Line[]
  readonly result: Value
  readonly taken: Taken
}

/** Goes on behind the branches of a step, of which nothing is kept but the result. */
async function leave(
  course: Course,
  parent: Line,
  { step, branches, result, taken }: Leaving,
): Promise<void> {
  course.keep(result)
  const settled = { status: 'completed', result, finishedAt: course.at } as const
  if (parent.entry !== null) await course.settle(parent.entry, settled)
  await removeBelow(course, branches)
  await goOn(course, parent, step.next, result, taken)
}
