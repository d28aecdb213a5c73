import type { Data, Model } from '@svc/domain/contract'
import type { JobKind } from '@svc/jobs/contract'
import type { Bus, Environment, Logger } from '@svc/kernel'
import type { Reader, Table, Transaction, Value } from '@svc/store/contract'
import type { Schedule } from './schedule.ts'
import type { Tables } from './tables/tables.ts'

/** What the server gives to the schedules of every domain. */
export interface Server {
  readonly env: Environment
  readonly bus: Bus
  readonly log: Logger
  readonly newId: () => string
  readonly heartbeatMs: number
  readonly works: Works
}

/** The kinds of work that schedules put. */
export interface Works {
  readonly occur: JobKind<OccurrenceWork>
  readonly fire: JobKind<FireWork>
  readonly again: JobKind<AgainWork>
  readonly fill: JobKind<FillWork>
}

/** Occurrences of a recurring schedule, the earliest first; none of a relative one that is run by hand. */
export interface OccurrenceWork {
  readonly domain: string
  readonly schedule: string
  readonly planned: string[]
  /** The last record that was seen to; null before the first. */
  readonly after: string | null
  /** The one record that is meant; null: all. */
  readonly only: string | null
  readonly run: string | null
}

/** Some records of an occurrence, or of a relative schedule, which `planned` has none of. */
export interface FireWork {
  readonly domain: string
  readonly schedule: string
  readonly planned: string | null
  readonly keys: string[]
  readonly run: string | null
}

/** A firing that is tried again. */
export interface AgainWork {
  readonly domain: string
  readonly firing: string
  /** How many tries in a row have failed: since it was due, or since somebody set it going again. */
  readonly tries: number
}

/** Records of a relative schedule whose moments are to be worked out. */
export interface FillWork {
  readonly domain: string
  readonly schedule: string
  readonly text: string
  readonly stage: 'clear' | 'fill'
  readonly after: string | null
}

/** The schedules of a domain that is in force. */
export interface Setting extends Server {
  readonly model: Model
  readonly tables: Tables
  readonly schedules: ReadonlyMap<string, Schedule>
  readonly data: Data
  /** What is known of a schedule since its model came into force. */
  stateOf(name: string): KnownState
  /** What was switched is noted once this is over. */
  settled: Promise<void>
}

/** What is known of a schedule. */
export interface KnownState {
  /** When its name was submitted first, in milliseconds since 1970. */
  readonly firstAt: number
  /** When its text was. */
  readonly since: number
}

/** What the writes of schedules say that set them off. */
export const ORIGIN = 'schedules'

/** A moment as it is stored. */
export const momentText = (instant: number): string => new Date(instant).toISOString()

/** Reads one row by a condition on its key. */
export const readOne = async (
  reader: Reader | Transaction,
  table: Table,
  key: Readonly<Record<string, Exclude<Value, null>>>,
  lock = false,
) =>
  (
    await reader.select({
      table,
      columns: table.columns,
      where: rowWith(table, key),
      order: [],
      limit: 1,
      ...(lock && { lock }),
    })
  )[0]

/** The rows that hold these values. */
export const rowWith = (table: Table, key: Readonly<Record<string, Exclude<Value, null>>>) => ({
  op: 'and' as const,
  of: Object.entries(key).map(([name, value]) => {
    const column = table.columns.find((one) => one.name === name)
    if (column === undefined) throw new Error(`'${table.name}' has no column '${name}'`)
    return { op: 'eq' as const, column, value }
  }),
})
