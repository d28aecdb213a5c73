import { dayAt } from '@svc/automation/contract'
import { evaluationOfFacts, type Expression, type Facts } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import { SYSTEM } from '@svc/kernel'
import type { Reader, Row } from '@svc/store/contract'
import { variablesOf } from './compile/speech.ts'
import type { Schedule } from './schedule.ts'
import { remembered } from './remembered.ts'
import { momentText, type Setting } from './setting.ts'

/** What a context is made for. */
export interface Contextual {
  /** The record at hand. */
  readonly record?: Row | undefined
  /** The planned moment, and the one after it, in milliseconds since 1970. */
  readonly plannedAt: number
  readonly nextAt: number | undefined
  /** The records of a batch. */
  readonly records?: readonly Row[] | undefined
}

/** What the expressions of a schedule find: the record with its formulas, and the neighbours that they reach. */
export function contextOf(
  schedule: Schedule,
  { record, plannedAt, nextAt, records }: Contextual,
  { expressions, reader }: { readonly expressions: readonly Expression[]; readonly reader: Reader },
  { env }: Pick<Setting, 'env'>,
): Promise<EvaluationContext> {
  const { source, zone } = schedule
  const facts: Facts = {
    resource: record && source?.resource,
    record,
    user: SYSTEM,
    op: 'update',
    variables: {
      ...occurrenceVariables(plannedAt, nextAt, zone),
      ...(records && { records: [...records], count: records.length }),
    },
    shapes: variablesOf(source?.resource, records !== undefined),
    now: () => env.now(),
  }
  return evaluationOfFacts(facts, expressions, reader)
}

/** The day of a moment in a zone. */
const dayOf = remembered((key) => {
  const [at, zone = 'UTC'] = key.split(' ')
  return dayAt(Number(at), zone)
})

/** The planned moment as expressions name it. */
export function occurrenceVariables(plannedAt: number, nextAt: number | undefined, zone: string): Row {
  const [year = 0, month = 1] = dayOf(`${plannedAt} ${zone}`).split('-').map(Number)
  return {
    occurrence: momentText(plannedAt),
    nextOccurrence: nextAt === undefined ? null : momentText(nextAt),
    currentQuarter: Math.ceil(month / 3),
    currentYear: year,
  }
}
