import { AppError } from '@svc/kernel'
import type { Step } from '../graph/step.ts'
import type { Course } from './course.ts'
import type { Line } from './rows.ts'

/** The present step of a line. Throws as a client would hear where what it speaks of is gone from the definition. */
export function soundStep({ workflow }: Course, line: Line): Step {
  const step = workflow.steps.get(line.step)
  if (step === undefined) throw new Error(`the text has no step '${line.step}'`)
  if (step.kind !== 'faulty') return step
  throw new AppError(step.code, step.code === 'NOT_FOUND' ? 404 : 422, step.message)
}
