import { nearest } from '@svc/kernel'
import type { Call, Literal, Node } from '../syntax/ast.ts'
import { AGGREGATES, type AggregateName } from './crossing.ts'
import { didYouMean, errorAt, type Fault } from '../fault.ts'
import { isTemporal, type Kind } from '../values/kind.ts'
import { LIMITS } from '../limits.ts'

interface TextLiteral extends Literal {
  readonly value: string
}

/** What a call that looks into other records is asked, as it is written. */
export interface CrossingCall {
  readonly resource: TextLiteral
  readonly field: TextLiteral
  readonly asks:
    | { readonly kind: 'lookup'; readonly key: Node }
    | { readonly kind: 'aggregate'; readonly fn: AggregateName; readonly filter: TextLiteral | undefined }
}

/** Reads the arguments of a call, or says what is wrong with their form. */
export const readCrossing = (call: Call): CrossingCall | Fault =>
  call.name === 'lookup' ? readLookup(call) : readAggregate(call)

function readLookup({ args, offset }: Call): CrossingCall | Fault {
  const [resource, key, field] = args
  if (resource === undefined || key === undefined || field === undefined || args.length > 3)
    return errorAt(offset, `'lookup' takes a resource, a key and a field, not ${args.length} arguments`)
  if (!isText(resource)) return notWritten(resource, 'resource')
  if (!isText(field)) return notWritten(field, 'field')
  return { resource, field, asks: { kind: 'lookup', key } }
}

function readAggregate({ args, offset }: Call): CrossingCall | Fault {
  const [resource, fn, field, filter] = args
  if (resource === undefined || fn === undefined || field === undefined || args.length > 4)
    return errorAt(
      offset,
      `'aggregate' takes a resource, a function, a field and perhaps a filter, not ${args.length} arguments`,
    )
  if (!isText(resource)) return notWritten(resource, 'resource')
  if (!isText(fn)) return notWritten(fn, 'function')
  if (!isText(field)) return notWritten(field, 'field')
  if (filter !== undefined && !isText(filter)) return notWritten(filter, 'filter')
  const name = AGGREGATES.find((one) => one === fn.value)
  if (name === undefined)
    return errorAt(
      fn.offset,
      `'aggregate' knows ${AGGREGATES.join(', ')}, not '${fn.value}'`,
      didYouMean(nearest(fn.value, AGGREGATES)),
    )
  return { resource, field, asks: { kind: 'aggregate', fn: name, filter } }
}

const isText = (node: Node): node is TextLiteral => node.kind === 'literal' && typeof node.value === 'string'

const notWritten = ({ offset }: Node, what: string): Fault =>
  errorAt(offset, `the ${what} has to be written out, as a text in quotes`)

const FITS = {
  sum: ['a number', (kind: Kind) => kind === 'number'],
  avg: ['a number', (kind: Kind) => kind === 'number'],
  min: ['a number, a text or a date', isOrdered],
  max: ['a number, a text or a date', isOrdered],
  count: ['anything', () => true],
} as const satisfies Record<AggregateName, readonly [string, (kind: Kind) => boolean]>

function isOrdered(kind: Kind): boolean {
  return kind === 'number' || kind === 'text' || isTemporal(kind)
}

/** What speaks against working a function out over values of a kind, as far as that is known. */
export function aggregateFault(fn: AggregateName, kind: Kind, offset: number): Fault | undefined {
  const [wants, fits] = FITS[fn]
  return kind === 'unknown' || fits(kind)
    ? undefined
    : errorAt(offset, `'${fn}' wants ${wants} of each record, not ${kind}`)
}

/** The kind of what a function makes of values of a kind. */
export const aggregateGives = (fn: AggregateName, kind: Kind): Kind =>
  fn === 'min' || fn === 'max' ? kind : 'number'

/** What speaks against one more call that looks into other records, counted from 1; told once. */
export const crossingsFault = (offset: number, count: number): Fault | undefined =>
  count === LIMITS.crossings + 1
    ? errorAt(offset, `an expression looks into other records ${LIMITS.crossings} times at most`)
    : undefined
