import type { Call, Compiler } from '../compile/compiler.ts'
import { insert } from '../compile/insert.ts'
import { insertRows, statementsOf } from '../compile/insert-rows.ts'
import type { InsertPlan, Row, Table } from '../plan.ts'

/** How many rows go along with a write in its own statement: each number of them makes another one. */
const FEW = 4

type Appending = Pick<InsertPlan, 'table' | 'values'>

/** Rows of a table that fill the same columns, one after the other. */
interface Run {
  readonly table: Table
  readonly columns: string
  readonly rows: Row[]
}

/** Rows that are written with what is said next: those of a table in their order, and in few statements. */
export class Appended {
  #runs = new Map<string, Run[]>()

  add({ table, values }: Appending): void {
    const own = this.#runs.get(table.name) ?? []
    this.#runs.set(table.name, own)
    const columns = Object.keys(values).join()
    const last = own.at(-1)
    if (last?.columns === columns) last.rows.push(values)
    else own.push({ table, columns, rows: [values] })
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0
  }

  /** The rows themselves where they are few. */
  get few(): readonly Appending[] | undefined {
    const runs = [...this.#runs.values()].flat()
    const rows = runs.flatMap(({ table, rows: own }) => own.map((values) => ({ table, values })))
    return rows.length <= FEW ? rows : undefined
  }

  /** They were written in another way. */
  clear(): void {
    this.#runs = new Map()
  }

  /** The statements that write them; they are said once. */
  *take(compiler: Compiler): Iterable<Call> {
    if (this.#runs.size === 0) return
    const taken = [...this.#runs.values()].flat()
    this.#runs = new Map()
    for (const { table, rows } of taken) {
      const [first, ...more] = rows
      if (first !== undefined && more.length === 0) yield compiler.call(insert, { table, values: first })
      else for (const part of statementsOf({ table, rows })) yield compiler.call(insertRows, part)
    }
  }
}
