import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import { placedId } from './placed-id.ts'
import { COLUMNS, EARLIER, NO_ADDRESS } from './table.ts'

/** Its place in its batch, by how many milliseconds it came before the latest of its row, and how many it took. */
const Earlier = z.tuple([z.int(), z.number(), z.number()])
export type Earlier = z.output<typeof Earlier>
const Earliers = z.array(Earlier).nullish()

/** A request on record. */
export interface Entry {
  readonly id: string
  readonly username: string | null
  readonly action: string
  readonly transport: string
  /** Null where none is kept. */
  readonly remoteAddr: string | null
  readonly statusCode: number
  readonly durationMs: number
  readonly timestamp: string
}

/** The latest request of a row, and those that share it. */
export interface Shared extends Omit<Entry, 'remoteAddr'> {
  /** `NO_ADDRESS` where none is kept. */
  readonly remoteAddr: string
  readonly earlier: readonly Earlier[]
}

export function rowOf({ earlier, ...latest }: Shared): Row {
  const isAlone = earlier.length === 0
  const first = () => Date.parse(latest.timestamp) - Math.max(...earlier.map(([, by]) => by))
  return {
    [COLUMNS.id.name]: latest.id,
    [COLUMNS.username.name]: latest.username,
    [COLUMNS.action.name]: latest.action,
    [COLUMNS.transport.name]: latest.transport,
    [COLUMNS.remoteAddr.name]: latest.remoteAddr,
    [COLUMNS.statusCode.name]: latest.statusCode,
    [COLUMNS.durationMs.name]: latest.durationMs,
    [COLUMNS.timestamp.name]: latest.timestamp,
    [EARLIER.earliest.name]: isAlone ? null : new Date(first()).toISOString(),
    [EARLIER.earlier.name]: isAlone ? null : earlier.map((one) => [...one]),
  }
}

/** What was written by `rowOf`, or by a version before it, of one request alone. */
export function sharedOf(row: Row): Shared {
  const of = (name: keyof typeof COLUMNS) => row[COLUMNS[name].name] ?? null
  const username = of('username')
  return {
    id: String(of('id')),
    username: username === null ? null : String(username),
    action: String(of('action')),
    transport: String(of('transport')),
    remoteAddr: String(of('remoteAddr') ?? NO_ADDRESS),
    statusCode: Number(of('statusCode')),
    durationMs: Number(of('durationMs')),
    timestamp: String(of('timestamp')),
    earlier: Earliers.parse(row[EARLIER.earlier.name]) ?? [],
  }
}

/** A row as two: what of it came until a moment, its latest request then, and what came later. Both are there. */
export function splitRow(row: Row, moment: string): readonly [until: Row, later: Row] {
  const { earlier, ...latest } = sharedOf(row)
  const ends = Date.parse(moment)
  const at = Date.parse(latest.timestamp)
  const isLater = ([, by]: Earlier) => at - by > ends
  const until = earlier.filter((one) => !isLater(one))
  const [place, by, durationMs] = until.reduce((best, one) => (one[1] < best[1] ? one : best))
  return [
    rowOf({
      ...latest,
      id: placedId(latest.id, place),
      durationMs,
      timestamp: new Date(at - by).toISOString(),
      earlier: until
        .filter((one) => one[0] !== place)
        .map(([of, before, took]): Earlier => [of, before - by, took]),
    }),
    rowOf({ ...latest, earlier: earlier.filter(isLater) }),
  ]
}

/** Every request that a row stands for. */
export function entriesOf(row: Row): readonly Entry[] {
  const { earlier, remoteAddr, ...latest } = sharedOf(row)
  const entry = { ...latest, remoteAddr: remoteAddr === NO_ADDRESS ? null : remoteAddr }
  const at = Date.parse(latest.timestamp)
  return [
    entry,
    ...earlier.map(([place, by, durationMs]) => ({
      ...entry,
      id: placedId(latest.id, place),
      durationMs,
      timestamp: new Date(at - by).toISOString(),
    })),
  ]
}
