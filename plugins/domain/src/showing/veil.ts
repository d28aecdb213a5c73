import type { Known } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { keepShape, openShape } from '../model/kept-shape.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { accessOf, ANYBODY } from './audience.ts'
import { seesOrigins } from './made.ts'

/** Whether one who has these rights may be told a value of which this is known. */
export const seesKnown = (known: Known, of: (resource: Resource) => Access): boolean =>
  typeof known === 'string' || (known.kind === 'unknown' && seesOrigins(known.of, of))

/** Whether everybody may be told a value of which this is known. */
export const isForAnybody = (known: Known, now: () => number): boolean =>
  seesKnown(known, (resource) => accessOf(ANYBODY, resource, now))

/** What is kept beside a value that a table keeps, for whoever shows it: null where everybody may be told. */
export const veilOf = (known: Known, now: () => number): Value =>
  isForAnybody(known, now) ? null : keepShape(known)

/** Whether one who has these rights may be told a value beside which this was kept. */
export const seesThrough = (
  veil: Value | undefined,
  model: Model,
  of: (resource: Resource) => Access,
): boolean => veil === null || veil === undefined || seesKnown(openShape(veil, model), of)
