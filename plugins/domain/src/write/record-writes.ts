import type {
  AggregatePlan,
  ClaimPlan,
  CountPlan,
  InsertPlan,
  InsertRowsPlan,
  RemovePlan,
  Row,
  SelectPlan,
  Transaction,
  UpdatePlan,
  UpdateRowsPlan,
} from '@svc/store/contract'
import type { Due, LeftBy } from '../contract/due.ts'
import type { RecordWrite, Writes } from '../contract/writes.ts'
import { remainderOf } from './remainder.ts'

/** How records are written by it. */
export interface RecordWays {
  readonly record: Writes['record']
  readonly follow: Writes['follow']
}

/** A transaction through which a block writes records too. */
export class RecordWrites implements Writes {
  readonly #transaction: Transaction
  readonly #record: (write: RecordWrite) => Promise<Row | undefined>
  readonly #follow: (due: Due, by: LeftBy) => Promise<void>
  readonly #mark: () => () => void

  /** `mark` notes what records that were written have left outside of the store; what it answers takes back what came since. */
  constructor(transaction: Transaction, { record, follow }: RecordWays, mark = () => () => {}) {
    this.#transaction = transaction
    this.#record = record
    this.#follow = follow
    this.#mark = mark
  }

  record(write: RecordWrite): Promise<Row | undefined> {
    return this.#record(write)
  }

  follow(due: Due, by: LeftBy): Promise<void> {
    return this.#follow(due, by)
  }

  select(plan: SelectPlan): Promise<readonly Row[]> {
    return this.#transaction.select(plan)
  }

  count(plan: CountPlan): Promise<number> {
    return this.#transaction.count(plan)
  }

  aggregate(plan: AggregatePlan): Promise<readonly Row[]> {
    return this.#transaction.aggregate(plan)
  }

  insert(plan: InsertPlan): Promise<number> {
    return this.#transaction.insert(plan)
  }

  append(plan: Parameters<Transaction['append']>[0]): Promise<void> {
    return this.#transaction.append(plan)
  }

  insertRows(plan: InsertRowsPlan): Promise<number> {
    return this.#transaction.insertRows(plan)
  }

  update(plan: UpdatePlan): Promise<{ readonly count: number; readonly rows: readonly Row[] }> {
    return this.#transaction.update(plan)
  }

  updateRows(plan: UpdateRowsPlan): Promise<number> {
    return this.#transaction.updateRows(plan)
  }

  claim(plan: ClaimPlan): Promise<readonly Row[]> {
    return this.#transaction.claim(plan)
  }

  remove(plan: RemovePlan): Promise<number> {
    return this.#transaction.remove(plan)
  }

  exclusiveLock(name: string): Promise<void> {
    return this.#transaction.exclusiveLock(name)
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const takeBack = this.#mark()
    try {
      return await this.#transaction.savepoint(work)
    } catch (error) {
      takeBack()
      await remainderOf(error)?.(this)
      throw error
    }
  }

  afterCommit(listener: () => void): void {
    this.#transaction.afterCommit(listener)
  }
}

/** Marks what is to be told after the commit: of a savepoint that is undone nothing is. */
export const marking = (toTell: unknown[]) => () => {
  const { length } = toTell
  return () => void (toTell.length = length)
}
