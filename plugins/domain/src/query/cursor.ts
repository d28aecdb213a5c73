import { createHash } from 'node:crypto'
import { errors, isCleanText } from '@svc/kernel'
import {
  type Column,
  type Condition,
  holds,
  type Order,
  type Row,
  type Scalar,
  SCALAR_TYPES,
  type Value,
} from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { allOf } from './live.ts'
import { fieldBehind } from './sort.ts'

/** The values by which a list is sorted, in the order's order, of the row after which the list goes on. */
export type Position = readonly Value[]

/** A cursor tells the key of a record: refuses, with INVALID_QUERY, whoever may not read that. */
export function assertWalkable(access: Access): void {
  const { name } = access.resource.key
  if (access.readable(name) !== undefined) return
  throw errors.INVALID_QUERY({
    message: "You cannot walk these records by 'cursor': send 'page' or 'offset'",
  })
}

/** Where `row` stands in an order. */
export const positionOf = (row: Row, order: readonly Order[]): Position =>
  order.map(({ column }) => row[column.name] ?? null)

/** A position as clients carry it: base64url of JSON, a checksum of the order before the values as text. */
export function writeCursor(position: Position, order: readonly Order[]): string {
  const texts = position.map((value) => (value === null ? null : String(value)))
  return Buffer.from(JSON.stringify([checksum(order), ...texts])).toString('base64url')
}

/** Reads a cursor that `writeCursor` made for the same order. Throws INVALID_QUERY. */
export function readCursor(text: string, order: readonly Order[], access: Access): Position {
  const [sum, ...texts] = parsed(text)
  if (sum !== checksum(order) || texts.length !== order.length) throw unreadable()
  return order.map((by, at) => valueOf(texts[at] ?? null, by, access))
}

/**
 * The rows after a position, as parts that follow one another in the order: first those that differ in the last
 * column alone, at last those that differ in the first. Each part is one range of an index on the order's columns,
 * wherever the position is; a comparison of all columns at once would make the store walk up to it.
 */
export function partsAfter(position: Position, order: readonly Order[]): readonly Condition[] {
  return order
    .flatMap((by, at) => {
      const same = order.slice(0, at).map((other, before) => isSame(other, position[before] ?? null))
      return [beyond(by, position[at] ?? null).map((part) => allOf([...same, part]))]
    })
    .toReversed()
    .flat()
}

function isSame({ column, by }: Order, value: Value): Condition {
  if (by) return holds(value === null ? { op: 'null', of: by } : compared(by, 'eq', column, value))
  return value === null ? { op: 'null', column } : { op: 'eq', column, value }
}

/** A comparison of what is worked out for each row; the value is one of its own. */
function compared(by: Scalar, sign: 'eq' | 'gt' | 'lt', { kind }: Column, value: Value): Scalar {
  const type = SCALAR_TYPES[kind] ?? 'text'
  const known = typeof value === 'object' ? null : value
  return { op: 'compare', by: sign, left: by, right: { op: 'value', type, value: known } }
}

/** What comes after `value` in one column: nulls stand first ascending and last descending. */
function beyond({ column, descending, by }: Order, value: Value): readonly Condition[] {
  if (by) return beyondWorked(by, column, descending, value)
  const isNull: Condition = { op: 'null', column }
  if (value === null) return descending ? [] : [{ op: 'not', of: isNull }]
  if (!descending) return [{ op: 'gt', column, value }]
  return [{ op: 'lt', column, value }, ...(column.nullable ? [isNull] : [])]
}

function beyondWorked(by: Scalar, column: Column, descending: boolean, value: Value): readonly Condition[] {
  const isNull: Scalar = { op: 'null', of: by }
  if (value === null) return descending ? [] : [holds({ op: 'not', of: isNull })]
  if (!descending) return [holds(compared(by, 'gt', column, value))]
  return [holds(compared(by, 'lt', column, value)), holds(isNull)]
}

function parsed(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (Array.isArray(value)) return value
  } catch {
    // Told below, in the same words.
  }
  throw unreadable()
}

function valueOf(text: unknown, order: Order, { resource }: Access): Value {
  const { column } = order
  if (text === null && column.nullable) return null
  const field = fieldBehind(order) ?? resource.fields.get(column.name)
  const value = typeof text === 'string' && isCleanText(text) ? field?.compiled.parseText(text) : undefined
  if (value === undefined) throw unreadable()
  return value
}

const checksum = (order: readonly Order[]): string =>
  createHash('sha256')
    .update(order.map(({ column, descending }) => `${descending ? '-' : '+'}${column.name}`).join())
    .digest('base64url')
    .slice(0, 8)

const unreadable = () =>
  errors.INVALID_QUERY({
    message:
      "The 'cursor' cannot be read: send the 'nextCursor' of an answer with the same sort, or an empty one",
  })
