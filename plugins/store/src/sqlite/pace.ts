import type { Call, Statement } from '../compile/compiler.ts'
import type { Connection } from './connection.ts'

/** What a statement may take in the process's own thread, in milliseconds: everybody waits meanwhile. */
const LONG_MS = 10
/** What it takes in another one at most where the way there is not worth it, in milliseconds. */
const QUICK_MS = 2
/** So often in a row it has to be as quick as that before it comes back, the first time and at most. */
const OFTEN = 100
const MOST_OFTEN = 16 * OFTEN
/** A table of so many rows, and of so many bytes, is looked through in no time. */
const FEW_ROWS = 2000
const FEW_BYTES = 2_000_000

/** What is known of how long a statement takes. */
export class Pace {
  #isLong: boolean
  #quick = 0
  #enough = OFTEN

  constructor(isLong: boolean) {
    this.#isLong = isLong
  }

  /** Whether it belongs into a thread of its own. */
  get isLong(): boolean {
    return this.#isLong
  }

  /** It took so many milliseconds in the process's own thread. */
  tookHere(ms: number): void {
    if (ms <= LONG_MS) return
    this.#isLong = true
    this.#quick = 0
    this.#enough = Math.min(2 * this.#enough, MOST_OFTEN)
  }

  /** It took so many milliseconds in another one. */
  tookAside(ms: number): void {
    this.#quick = ms > QUICK_MS ? 0 : this.#quick + 1
    if (this.#quick >= this.#enough) this.#isLong = false
  }
}

/** The paces of statements. Of one that is new it is asked how SQLite would go about it. */
export class Paces {
  readonly #known = new WeakMap<Statement, Pace>()

  of(call: Call, connection: Connection): Pace {
    const known = this.#known.get(call.statement)
    if (known !== undefined) return known
    const pace = new Pace(mayBeLong(call, connection))
    this.#known.set(call.statement, pace)
    return pace
  }
}

/** A step in which SQLite goes through a whole table or sorts what it has found; a list of values is none. */
const GOES_THROUGH = /^SCAN (?!json_each|CONSTANT)|^USE TEMP B-TREE/
const GOES_TO = /^(?:SCAN|SEARCH) (\S+)/

function mayBeLong({ statement: { sql }, values }: Call, connection: Connection): boolean {
  const steps = connection.steps(sql, values)
  if (!steps.some((step) => GOES_THROUGH.test(step))) return false
  const names = new Set(steps.flatMap((step) => GOES_TO.exec(step)?.[1] ?? []))
  return [...names].some((name) => name !== 'json_each' && isLarge(name, connection))
}

/** Whether a table may have many rows, by the number of its last one, or long ones; what has no numbers may have any. */
function isLarge(name: string, connection: Connection): boolean {
  try {
    const [last] = connection.all(`select max(rowid) as number from "${name}"`)
    return Number(last?.['number']) > FEW_ROWS || bytesOf(name, connection) > FEW_BYTES
  } catch {
    return true
  }
}

/** SQLite knows how long values are without reading them. */
function bytesOf(name: string, connection: Connection): number {
  const columns = connection.all('select name from pragma_table_info(?)', [name])
  const each = columns.map((column) => `coalesce(octet_length("${String(column['name'])}"), 0)`)
  const [all] = connection.all(`select sum(${each.join(' + ')}) as bytes from "${name}"`)
  return Number(all?.['bytes'])
}
