import { Failure, isOutOfReach } from '@svc/automation/contract'
import { type JobFailure, LeaseLost, Postponed, type Work } from '@svc/jobs/contract'
import type { Writes } from '@svc/domain/contract'
import { AppError, SYSTEM } from '@svc/kernel'
import { SchemaMoved, type Transaction } from '@svc/store/contract'
import { originOf } from '../waits/wait.ts'
import { Course } from './course.ts'
import { failStep } from './failing.ts'
import { performStep } from './performing.ts'
import type { Line } from './rows.ts'
import type { Setting, StepJob, TimerJob } from './setting.ts'
import { timeOut } from './stopping.ts'
import { wakeInTime } from './waking.ts'

/** How long work waits for a domain that is not in force on this server, in milliseconds. */
const NOT_IN_FORCE_MS = 1000

/** The domains in force on this server, by name. */
export type Settings = ReadonlyMap<string, Setting>

/** Does the step of a line in one transaction: its writes, its result, the next position, and that it is done. */
export async function workOnStep(settings: Settings, job: StepJob, work: Work): Promise<void> {
  const setting = settingOf(settings, job.domain)
  const { instance, depth } = job
  const write = (doing: DoStep) =>
    setting.data().write(
      { caller: SYSTEM },
      async (writes) => {
        const found = await present(setting, writes, job)
        if (found !== undefined) {
          await doing(found.course, found.line, writes)
          await found.course.save()
        }
        await work.complete(writes)
      },
      { depth, origin: originOf(instance) },
    )
  try {
    await write(performStep)
  } catch (error) {
    assertFailure(error, settings, setting)
    if (isOutOfReach(error)) throw error
    if (!(error instanceof AppError || error instanceof Failure))
      setting.log.error({ instance, line: job.line, err: error }, 'workflows.step_failed')
    await write((course, line) => failStep(course, line, error))
  }
}

type DoStep = (course: Course, line: Line, writes: Writes) => Promise<void>

/** A step could not be done, since something is out of reach: it counts the try, and fails with the last one. */
export async function noteFailure(
  settings: Settings,
  transaction: Transaction,
  job: StepJob,
  { error, nextAt }: JobFailure,
): Promise<void> {
  const setting = settings.get(job.domain)
  const found = setting && (await present(setting, transaction, job))
  if (setting === undefined || found === undefined) return
  const { course, line } = found
  if (nextAt !== null) {
    await course.changeLine(line, { tries: line.tries + 1 })
    return
  }
  await failStep(course, line, error)
  await course.save()
  await setting.steps.cancel(transaction, line.id)
}

/** A moment has come: the end of a rest, or that of the time of an instance. */
export async function workOnTimer(settings: Settings, job: TimerJob, work: Work): Promise<void> {
  const setting = settingOf(settings, job.domain)
  const { instance, line, turn, until } = job
  if (line !== undefined) await setting.waits.catchUp()
  try {
    await setting.data().write(
      { caller: SYSTEM },
      async (writes) => {
        // First, since what ends a rest takes its timers away.
        await work.complete(writes)
        if (line === undefined || turn === undefined) await timeOut(setting, writes, instance, until)
        else await wakeInTime(setting, writes, { instance, line, turn })
      },
      { origin: originOf(instance) },
    )
  } catch (error) {
    assertFailure(error, settings, setting)
    throw error
  }
}

async function present(setting: Setting, transaction: Transaction, job: StepJob) {
  const course = await Course.hold(setting, transaction, job.instance)
  const line = await course?.line(job.line)
  if (course === undefined || line?.status !== 'running' || line.turn !== job.turn) return undefined
  return { course, line }
}

function settingOf(settings: Settings, domain: string): Setting {
  const setting = settings.get(domain)
  if (setting !== undefined) return setting
  throw new Postponed(`the domain '${domain}' is not in force on this server`, NOT_IN_FORCE_MS)
}

/** What is no failure of the step goes on as it is; a definition that was exchanged meanwhile is met again. */
function assertFailure(error: unknown, settings: Settings, setting: Setting): void {
  if (error instanceof LeaseLost || error instanceof Postponed) throw error
  const isReplaced = settings.get(setting.model.name) !== setting
  if (error instanceof SchemaMoved || (isReplaced && isOutOfReach(error)))
    throw new Postponed(`the definition of '${setting.model.name}' is being exchanged`, NOT_IN_FORCE_MS / 4)
}
