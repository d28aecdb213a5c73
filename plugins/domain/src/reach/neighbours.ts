import type { Neighbours, Reach, Reached } from '@svc/expression/contract'
import type { Reader, Row } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Restricted } from '../contract/restriction.ts'
import type { Way } from '../contract/way.ts'
import { endOf } from '../model/relation-end.ts'
import { readUsers } from './accounts.ts'
import { readCrossed } from './crossed.ts'
import { type Found, readMany, readOne } from './related.ts'

/**
 * By whose rights related records are read: all that the author of an expression named, what the caller may read, or what
 * anybody may read of any record, who is the anonymous caller then.
 */
export type Rights = 'author' | 'caller' | 'anybody'

/** How related records are read. */
export interface Reading {
  /** The store, or the transaction of a write that is decided by them. */
  readonly reader: Reader
  /** Of the caller, with the resource of the records that the way starts from. */
  readonly access: Access
  readonly rights: Rights
  /** Whether `***` stands in place of what the caller may see masked; null does unless said. */
  readonly masks?: boolean
  /** What is done with the records besides: what blocks keep from that is not there, whoever may read it. */
  readonly also?: readonly Restricted[]
}

const NOTHING: Neighbours = Object.freeze({})

/**
 * What records lead to as far as `reach` asks for it, in the order of the records: one statement for each relation,
 * however many records there are.
 */
export async function neighboursOf(
  records: readonly Row[],
  reach: Reach,
  reading: Reading,
): Promise<readonly Neighbours[]> {
  if (reach.size === 0 || records.length === 0) return records.map(() => NOTHING)
  const found = records.map((): Record<string, Neighbours[string]> => ({}))
  for (const [name, reached] of reach) {
    const of = await leading(records, reached, reading)
    for (const [at, record] of records.entries()) found[at]![name] = of(record)
  }
  return found
}

/** The same of one record. */
export async function neighboursOfOne(record: Row, reach: Reach, reading: Reading): Promise<Neighbours> {
  const [found = NOTHING] = await neighboursOf([record], reach, reading)
  return found
}

/** The same, or undefined at once where nothing is asked for. */
export const neighboursIfAny = (
  record: Row,
  reach: Reach,
  reading: Reading,
): Promise<Neighbours> | undefined => (reach.size === 0 ? undefined : neighboursOfOne(record, reach, reading))

/** What a plugin's way leads to from those records of which the caller may know where it starts. */
async function readWay(
  records: readonly Row[],
  { relation, read }: Way,
  { reader, access, rights }: Reading,
): Promise<(record: Row) => Neighbours[string]> {
  const mayStart = (record: Row) => rights === 'author' || access.readableIn(record, relation.near)
  const found = await read(records.filter(mayStart), reader)
  return (record) => (mayStart(record) ? found(record) : [])
}

async function leading(
  records: readonly Row[],
  reached: Reached,
  reading: Reading,
): Promise<(record: Row) => Neighbours[string]> {
  const { target, relationship, way, crossed } = endOf(reached.relation)
  if (crossed !== undefined) {
    const { reader, access, rights } = reading
    return readCrossed(records, crossed, { reader, access, isAuthor: rights === 'author' })
  }
  if (way !== undefined) return readWay(records, way, reading)
  if (target === undefined) return readUsers(records, reached, reading)
  const read = relationship.kind === 'belongsTo' ? readOne : readMany
  const found: Found = await read(records, { reached, relationship, target }, reading)
  const further = await neighboursOf(found.raw, reached.reach, {
    ...reading,
    access: found.access,
  })
  const neighbours = found.shown.map((record, at) => ({ record, neighbours: further[at] ?? NOTHING }))
  return found.group(neighbours)
}
