import { errors } from '@svc/kernel'
import { type Definition, type Reader, type Store, StoreConflict } from '@svc/store/contract'
import { changesAny, describeData, runData } from './data.ts'
import { isDataStep, type MigrationStep, reverseWork, type Work } from './step.ts'

/** Steps whose doubts are settled: those that remain are called for, and their losses are real. */
export async function settle(
  steps: readonly MigrationStep[],
  reader: Reader,
): Promise<{ readonly steps: readonly MigrationStep[]; readonly skipped: number }> {
  const needed: MigrationStep[] = []
  for (const step of steps) {
    if (step.doubt === undefined || (await changesAny(step.doubt, reader))) needed.push(step)
  }
  return { steps: needed, skipped: steps.length - needed.length }
}

/** Everything that the steps would lose, in words. */
export const lossesOf = (steps: readonly MigrationStep[]): readonly string[] =>
  steps.flatMap(({ loss }) => loss ?? [])

/** Runs work in order; answers the statements that were run, data steps as a comment. */
export async function run(work: readonly Work[], definition: Definition): Promise<readonly string[]> {
  const ran: string[] = []
  for (const one of work) {
    try {
      ran.push(...(await runOne(one, definition)))
    } catch (error) {
      throw error instanceof StoreConflict ? inTheWay(error) : error
    }
  }
  return ran
}

async function runOne(work: Work, definition: Definition): Promise<readonly string[]> {
  if (!isDataStep(work)) return definition.apply(work)
  await runData(work, definition)
  return [describeData(work)]
}

/** Stored records that break a rule which is new cannot be brought in line without their owners. */
function inTheWay({ kind, table, columns }: StoreConflict) {
  const where = columns.length === 0 ? `in '${table}'` : `in '${table}' (${columns.join(', ')})`
  const message =
    kind === 'unique'
      ? `Stored values ${where} repeat and cannot become unique: change them first`
      : `Stored values ${where} break the new rules: change them first`
  return errors.CONFLICT({ message })
}

/** A step as a preview and the history show it. */
export interface ExplainedStep {
  readonly kind: string
  readonly table: string
  readonly column?: string
  readonly up: readonly string[]
  readonly down?: readonly string[]
  readonly destructive: boolean
  readonly reversible: boolean
  readonly message: string
}

/** The statements of work, without running them; data steps as a comment. */
export const describe = (work: readonly Work[], store: Pick<Store, 'explain'>): readonly string[] =>
  work.flatMap((one) => (isDataStep(one) ? [describeData(one)] : store.explain(one)))

/** Says what a step does, without doing it. */
export function explain(step: MigrationStep, store: Pick<Store, 'explain'>): ExplainedStep {
  const { kind, table, column, message, loss, work } = step
  const down = describe(reverseWork(work), store)
  return {
    kind,
    table,
    ...(column !== undefined && { column }),
    up: describe(work, store),
    ...(down.length > 0 && { down }),
    destructive: loss !== undefined,
    reversible: loss === undefined,
    message: loss ?? message,
  }
}
