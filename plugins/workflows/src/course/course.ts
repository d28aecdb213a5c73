import { Failure } from '@svc/automation/contract'
import type { Condition, Row, Transaction, Value } from '@svc/store/contract'
import type { Workflow } from '../graph/step.ts'
import { INSTANCE } from '../tables/instances.ts'
import { LINE, LIVE } from '../tables/lines.ts'
import { STEP, type StepStatus } from '../tables/steps.ts'
import type { Instance, Line } from './rows.ts'
import type { Setting } from './setting.ts'

/** The most steps of one instance, those of items included. */
export const MAX_STEPS = 10_000
/** The most characters of JSON that an instance keeps. */
export const MAX_KEPT = 1_048_576

/** The lines that a parallel or a forEach of a line has begun. */
export const childrenOf = ({ id }: Pick<Line, 'id'>): Condition => ({
  op: 'eq',
  column: LINE.parent,
  value: id,
})

/** What changes of a row. */
type Changes<T> = { readonly [K in keyof T]?: T[K] }

/**
 * One instance, held in a transaction: nobody else moves it until that ends, on any server. What happens to it is written
 * to its lines and steps at once, and to its own row by `save`.
 */
export class Course {
  readonly setting: Setting
  readonly transaction: Transaction
  readonly workflow: Workflow
  /** The present moment, as it is stored. */
  readonly at: string
  #instance: Instance
  #changes: Record<string, Value> = {}

  constructor(setting: Setting, transaction: Transaction, instance: Instance, workflow: Workflow) {
    this.setting = setting
    this.transaction = transaction
    this.workflow = workflow
    this.#instance = instance
    this.at = new Date(setting.env.now()).toISOString()
  }

  /** Holds an instance; undefined where there is none. */
  static async hold(setting: Setting, transaction: Transaction, id: string): Promise<Course | undefined> {
    const [row] = await transaction.select({
      table: setting.tables.instances,
      columns: setting.tables.instances.columns,
      where: { op: 'eq', column: INSTANCE.id, value: id },
      order: [],
      lock: true,
    })
    if (row === undefined) return undefined
    const instance = setting.rows.instance(row)
    const workflow = await setting.texts.of(transaction, instance.workflow, instance.version)
    return new Course(setting, transaction, instance, workflow)
  }

  /** The same instance as another transaction reads it, which does not hold it. */
  within(transaction: Transaction): Course {
    return new Course(this.setting, transaction, this.#instance, this.workflow)
  }

  get instance(): Instance {
    return this.#instance
  }

  /** Changes the row of the instance, once it is saved. */
  change(changes: Changes<Instance>): void {
    this.#instance = { ...this.#instance, ...changes }
    Object.assign(this.#changes, changes)
  }

  /** Counts what the instance keeps from now on. Throws TOO_LARGE. */
  keep(...values: readonly Value[]): void {
    const more = values.reduce<number>(
      (sum, value) => sum + (value === null ? 0 : JSON.stringify(value).length),
      0,
    )
    if (more === 0) return
    const kept = this.#instance.kept + more
    if (kept > MAX_KEPT)
      throw new Failure(
        'TOO_LARGE',
        `An instance keeps at most ${MAX_KEPT} characters of JSON, and this would make ${kept}`,
      )
    this.change({ kept })
  }

  async line(id: string): Promise<Line | undefined> {
    const [line] = await this.lines({ op: 'eq', column: LINE.id, value: id })
    return line
  }

  /** Lines of the instance, in the order in which they began. */
  async lines(where: Condition): Promise<readonly Line[]> {
    const { lines: table } = this.setting.tables
    const own: Condition = { op: 'eq', column: LINE.instance, value: this.#instance.id }
    const rows = await this.transaction.select({
      table,
      columns: table.columns,
      where: { op: 'and', of: [own, where] },
      order: [{ column: LINE.id, descending: false }],
    })
    return rows.map((row) => this.setting.rows.line(row))
  }

  /** The lines that go on. */
  live(): Promise<readonly Line[]> {
    return this.lines({ op: 'in', column: LINE.status, values: LIVE })
  }

  /** The line and those that began it, the innermost first. */
  async around(line: Line): Promise<readonly Line[]> {
    const found = [line]
    for (let at = line; at.parent !== null;) {
      const parent = await this.line(at.parent)
      if (parent === undefined) break
      found.push(parent)
      at = parent
    }
    return found
  }

  async addLine(line: Line): Promise<void> {
    const { tables, rows } = this.setting
    await this.transaction.insert({ table: tables.lines, values: rows.kept('lines', line) })
    this.#count(undefined, line)
  }

  /** Writes what changes of a line, and answers it as it is then. */
  async changeLine(line: Line, changes: Changes<Line>): Promise<Line> {
    const changed = { ...line, ...changes }
    const { tables, rows } = this.setting
    await this.transaction.update({
      table: tables.lines,
      set: rows.kept('lines', changes),
      where: { op: 'eq', column: LINE.id, value: line.id },
    })
    this.#count(line, changed)
    return changed
  }

  /** Forgets lines that have ended. */
  async removeLines(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.transaction.remove({
      table: this.setting.tables.lines,
      where: { op: 'in', column: LINE.id, values: ids },
    })
  }

  /** Puts on record that a line has begun its step; answers the place of the entry. Throws STEP_LIMIT. */
  async begin(line: Line, values: Readonly<Record<'kind' | 'status', string>> & Row): Promise<number> {
    const place = this.#instance.steps + 1
    this.change({ steps: place })
    const { tables, rows } = this.setting
    await this.transaction.insert({
      table: tables.steps,
      values: rows.kept('steps', {
        instance: this.#instance.id,
        place,
        line: line.id,
        name: line.step,
        attempt: line.tries + 1,
        item: await this.#itemOf(line),
        startedAt: this.at,
        finishedAt: null,
        result: null,
        event: null,
        error: null,
        resource: null,
        recordId: null,
        ...values,
      }),
    })
    return place
  }

  /** Throws STEP_LIMIT where no further step may begin. */
  assertMayBegin(): void {
    if (this.#instance.steps >= MAX_STEPS)
      throw new Failure('STEP_LIMIT', `An instance takes at most ${MAX_STEPS} steps`)
  }

  /** Writes what became of an entry. */
  async settle(entry: number, set: { readonly status?: StepStatus } & Row): Promise<void> {
    const { tables, rows } = this.setting
    await this.transaction.update({
      table: tables.steps,
      set: rows.kept('steps', set),
      where: {
        op: 'and',
        of: [
          { op: 'eq', column: STEP.instance, value: this.#instance.id },
          { op: 'eq', column: STEP.place, value: entry },
        ],
      },
    })
  }

  /** Writes the row of the instance: its status is that of its lines, unless it has ended. */
  async save(): Promise<void> {
    const { id, status, finishedAt, busy } = this.#instance
    const present = busy > 0 ? 'running' : 'waiting'
    if (finishedAt === null && status !== present) this.change({ status: present })
    if (Object.keys(this.#changes).length === 0) return
    const { tables, rows } = this.setting
    await this.transaction.update({
      table: tables.instances,
      set: rows.kept('instances', this.#changes),
      where: { op: 'eq', column: INSTANCE.id, value: id },
    })
    this.#changes = {}
  }

  /** The item that a line is about: that of the innermost forEach around it. */
  async #itemOf(line: Line): Promise<Value> {
    if (line.place !== null || line.parent === null) return line.item
    const around = await this.around(line)
    return around.find(({ place }) => place !== null)?.item ?? null
  }

  #count(before: Line | undefined, after: Line): void {
    const { busy, resting } = this.#instance
    const change = (of: Line['status']) => Number(after.status === of) - Number(before?.status === of)
    const [more, rest] = [change('running'), change('waiting')]
    if (more !== 0 || rest !== 0) this.change({ busy: busy + more, resting: resting + rest })
  }
}
