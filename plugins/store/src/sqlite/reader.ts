import { type Arrival, isPending } from '@svc/kernel'
import { aggregate } from '../compile/aggregate.ts'
import type { Call, Compiler } from '../compile/compiler.ts'
import { count, select } from '../compile/select.ts'
import type { Reader } from '../contract.ts'
import { type LongReadLimits, LongReads } from '../long-reads.ts'
import type { AggregatePlan, CountPlan, Row, SelectPlan } from '../plan.ts'
import type { RawRows } from '../rows.ts'
import { isMany, MOST_LENGTH, type Part, tooLong } from '../part.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { Counts, dataVersion } from './counts.ts'
import { faultOf, isBusy } from './faults.ts'
import { type Pace, Paces } from './pace.ts'
import { patiently } from './patience.ts'
import { decoded, readRows } from './read.ts'
import type { Reads } from './reads.ts'
import { RELATES } from './spatial.ts'
import { partsHere } from './stream.ts'
import { Threads } from './thread/threads.ts'
import { ReadingTurn } from './turn.ts'

export interface ReaderParts {
  readonly compiler: Compiler
  readonly reads: Reads
  /** Of a connection for one long reading. */
  readonly options: ConnectionOptions
  readonly longReads: LongReadLimits
}

/** Rows that are longer together take longer to read than everybody else should wait, in characters. */
const LONG_LENGTH = 2_000_000

/** Reads outside of transactions: what is quick at once, and what may take long in threads, so that nobody waits for it. */
export class SqliteReader implements Reader {
  readonly #compiler: Compiler
  readonly #reads: Reads
  readonly #options: ConnectionOptions
  readonly #longReads: LongReads
  readonly #threads: Threads
  readonly #counts = new Counts()
  readonly #paces = new Paces()
  readonly #turn = new ReadingTurn()

  constructor({ compiler, reads, options, longReads }: ReaderParts) {
    this.#compiler = compiler
    this.#reads = reads
    this.#options = { ...options, readonly: true, isFrugal: true, sortsInFile: true }
    this.#longReads = new LongReads(longReads)
    // What connections have learned stays with them.
    const { learned: _, ...plain } = this.#options
    this.#threads = new Threads(plain, longReads.wait)
  }

  async select(plan: SelectPlan): Promise<readonly Row[]> {
    const call = this.#compiler.call(select, plan)
    const turn = this.#turn.enter()
    if (turn !== undefined) await turn
    const read = this.#raw(call, plan.arrival, isMany(plan))
    return decoded(isPending(read) ? await read : read, call)
  }

  selectSync(plan: SelectPlan): readonly Row[] | undefined {
    const call = this.#compiler.call(select, plan)
    try {
      return readRows(this.#reads.of(plan.arrival), call)
    } catch (error) {
      if (isBusy(error)) return undefined
      throw faultOf(error)
    }
  }

  async count(plan: CountPlan): Promise<number> {
    const call = this.#compiler.call(count, plan)
    const version = await patiently(() => dataVersion(this.#reads.apart))
    const known = this.#counts.of(call, version)
    if (known !== undefined) return known
    const [row] = await this.#raw(call, undefined)
    const counted = Number(row?.['count'])
    this.#counts.keep(call, version, counted)
    return counted
  }

  async aggregate(plan: AggregatePlan): Promise<readonly Row[]> {
    const call = this.#compiler.call(aggregate, plan)
    if (!canAside(call)) return patiently(() => readRows(this.#reads.connection, call))
    return decoded((await this.#ask(call)).rows, call)
  }

  stream(plan: Omit<SelectPlan, 'lock' | 'text'>, size: number): AsyncIterable<readonly Row[]> {
    const call = this.#compiler.call(select, plan)
    return this.#longReads.read(size, () => this.#parts(call, size))
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#threads.close()
  }

  /** The rows of a call as the driver has them: at once, but for what may take long. */
  #raw(call: Call, arrival: Arrival | undefined, mayBeLong = false): RawRows | Promise<RawRows> {
    const { statement, values } = call
    try {
      const connection = this.#reads.of(arrival)
      const pace = this.#paces.of(call, connection)
      if (pace.isLong && canAside(call)) return this.#aside(call, pace)
      const begun = performance.now()
      const rows = mayBeLong ? bounded(connection, call) : connection.all(statement.sql, values)
      pace.tookHere(rows === undefined ? Infinity : performance.now() - begun)
      return rows ?? this.#aside(call, pace)
    } catch (error) {
      if (!isBusy(error)) throw faultOf(error)
      return patiently(() => this.#reads.connection.all(statement.sql, values))
    }
  }

  async #aside(call: Call, pace: Pace): Promise<RawRows> {
    const { rows, took } = await this.#ask(call)
    pace.tookAside(took)
    return rows
  }

  async #ask(call: Call): Promise<{ readonly rows: RawRows; readonly took: number }> {
    const answer = await this.#threads.ask(questionOf(call))
    this.#reads.renew()
    return answer
  }

  /** What may take long is what comes before the first rows: from then on each part is read in no time. */
  async *#parts(call: Call, size: number): AsyncGenerator<Part, void> {
    try {
      const pace = await patiently(() => this.#paces.of(call, this.#reads.connection))
      const isAside = pace.isLong && canAside(call)
      const parts = isAside
        ? this.#threads.parts({ ...questionOf(call), size })
        : partsHere(() => new Connection(this.#options), call, size)
      let isFirst = true
      for await (const { rows, length, isLast, took } of parts) {
        if (isFirst) pace[isAside ? 'tookAside' : 'tookHere'](took)
        isFirst = false
        yield { rows: decoded(rows, call), length, isLast }
      }
    } catch (error) {
      throw faultOf(error)
    }
  }
}

/** Whether a thread can answer a call: it knows nothing of what connections learned later. */
const canAside = ({ statement }: Call): boolean => !statement.sql.includes(RELATES)

/** The rows of a call; undefined where they are so long that they are better read aside. */
function bounded(connection: Connection, call: Call): RawRows | undefined {
  const { statement, values } = call
  const mayGo = canAside(call)
  const rows = connection.upTo(mayGo ? LONG_LENGTH : MOST_LENGTH, statement.sql, values)
  if (rows === undefined && !mayGo) throw tooLong()
  return rows
}

const questionOf = ({ statement: { sql }, values }: Call) => ({ sql, values })
