import { type Caller, errors } from '@svc/kernel'
import { type Definition, type Reader, type Store, StoreConflict } from '@svc/store/contract'
import { fieldOfColumn } from '../model/names.ts'
import { type ConcernedRows, countConcerned, inWords } from './concern.ts'
import { changesAny, describeData, runData } from './data.ts'
import { reverseWork } from './reverse.ts'
import { isDataStep, type MigrationStep, type Work } from './step.ts'

/** A step that is called for, and the rows that its loss is about. */
export interface SettledStep extends MigrationStep {
  readonly rows?: ConcernedRows
}

/**
 * Steps whose doubts are settled: those that remain are called for, and their losses are real and counted. Examples of
 * the rows are for `caller` alone.
 */
export async function settle(
  steps: readonly MigrationStep[],
  reader: Reader,
  caller?: Caller,
): Promise<{ readonly steps: readonly SettledStep[]; readonly skipped: number }> {
  const needed: SettledStep[] = []
  for (const step of steps) {
    if (step.doubt && !(await changesAny(step.doubt, reader))) continue
    needed.push(await counted(step, reader, caller))
  }
  return { steps: needed, skipped: steps.length - needed.length }
}

async function counted(
  step: MigrationStep,
  reader: Reader,
  caller: Caller | undefined,
): Promise<SettledStep> {
  const { concern, loss } = step
  if (concern === undefined || loss === undefined) return step
  const rows = await countConcerned(concern, reader, caller)
  return { ...step, rows, loss: `${loss}; ${inWords(rows, concern)}` }
}

/** Throws CONFLICT where records would be left without what they have to have: no permission makes that good. */
export function refuseHopeless(steps: readonly SettledStep[]): void {
  const hopeless = steps
    .filter(({ rows }) => rows !== undefined && rows.hopeless > 0)
    .flatMap(({ loss }) => loss ?? [])
  if (hopeless.length > 0) throw errors.CONFLICT({ message: hopeless.join('; ') })
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
      refuseConflict(error)
    }
  }
  return ran
}

async function runOne(work: Work, definition: Definition): Promise<readonly string[]> {
  if (!isDataStep(work)) return definition.apply(work)
  await runData(work, definition)
  return [describeData(work)]
}

/** Throws CONFLICT for what stored records break, and everything else as it is. A store may see it at the commit alone. */
export function refuseConflict(error: unknown): never {
  throw error instanceof StoreConflict ? inTheWay(error) : error
}

/** Stored records that break a rule which is new cannot be brought in line without their owners. */
function inTheWay({ kind, table, columns }: StoreConflict) {
  const where =
    columns.length === 0 ? `in '${table}'` : `in '${table}' (${columns.map(fieldOfColumn).join(', ')})`
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
  /** The rows that something is lost of. */
  readonly rows?: Omit<ConcernedRows, 'hopeless'>
}

/** The statements of work, without running them; data steps as a comment. */
export const describe = (work: readonly Work[], store: Pick<Store, 'explain'>): readonly string[] =>
  work.flatMap((one) => (isDataStep(one) ? [describeData(one)] : store.explain(one)))

/** Says what a step does, without doing it. */
export function explain(step: SettledStep, store: Pick<Store, 'explain'>): ExplainedStep {
  const { kind, table, column, message, loss, work, rows } = step
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
    ...(rows && { rows: { concerned: rows.concerned, of: rows.of, examples: rows.examples } }),
  }
}
