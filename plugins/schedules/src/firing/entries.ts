import { announce, type FailureText } from '@svc/automation/contract'
import { veilOf } from '@svc/domain/contract'
import type { Row, Transaction } from '@svc/store/contract'
import { wholeFiring } from './answer.ts'
import type { Schedule } from '../schedule.ts'
import { momentText, rowWith, type Setting } from '../setting.ts'
import type { FiringStatus } from '../tables/firings.ts'
import type { DueDeed } from './judge.ts'

/** What is to be said of a firing beside what is due. */
export interface Entered {
  readonly id: string
  readonly run: string | null
  readonly status: FiringStatus
  readonly attempts?: number
  readonly result?: Row | null
  readonly error?: FailureText | null
  readonly errors?: readonly Row[]
  /** Of a batch: the keys of its records. */
  readonly records?: readonly string[]
}

/** The row of a firing. */
export function entryOf(schedule: Schedule, due: DueDeed, entered: Entered, { env }: Setting): Row {
  const { id, run, status, attempts = 1, result = null, error = null, errors = [], records } = entered
  const at = momentText(env.now())
  return {
    id,
    schedule: schedule.name,
    action: due.deed.action.kind,
    resource: schedule.source?.resource.name ?? null,
    recordId: records !== undefined || due.recordId === '' ? null : due.recordId,
    tag: due.tag,
    tagVeil: veilOf(due.deed.tag.made, () => env.now()),
    run,
    plannedAt: momentText(due.plannedAt),
    firedAt: status === 'running' ? null : at,
    status,
    attempts,
    count: records?.length ?? 1,
    result,
    error: error === null ? null : { ...error },
    errors: [...errors],
    at,
    endedAt: status === 'running' || status === 'failed' ? null : at,
    deed: due.deed.key,
    records: records === undefined ? null : [...records],
  }
}

const TOLD: readonly string[] = ['fired', 'skipped', 'failed'] satisfies FiringStatus[]

/** Enters firings; the bus hears of them after the commit. */
export async function enterAll(
  transaction: Transaction,
  rows: readonly Row[],
  setting: Setting,
): Promise<void> {
  if (rows.length === 0) return
  await transaction.insertRows({ table: setting.tables.firings, rows })
  tell(transaction, rows, setting)
}

/** Changes an entry; the bus hears of that. */
export async function changeEntry(
  transaction: Transaction,
  before: Row,
  set: Row,
  setting: Setting,
): Promise<Row> {
  const { firings: table } = setting.tables
  await transaction.update({ table, set, where: rowWith(table, { id: String(before['id']) }) })
  const after = { ...before, ...set }
  tell(transaction, [after], setting)
  return after
}

function tell(transaction: Transaction, rows: readonly Row[], { bus, model }: Setting): void {
  const told = rows.filter(({ status }) => TOLD.includes(String(status)))
  if (told.length === 0) return
  transaction.afterCommit(() => {
    for (const row of told)
      announce(bus, {
        domain: model.name,
        name: `schedule.${String(row['schedule'])}.${String(row['status'])}`,
        at: String(row['firedAt'] ?? row['at']),
        entry: wholeFiring(row),
      })
  })
}
