import {
  type Candidate,
  type FieldDefinition,
  type FieldType,
  finding,
  type ValueFault,
  type Verification,
} from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'
import { z } from 'zod'
import { isUuid, type MediaItem } from '../item.ts'
import { itemsOf } from '../library/find.ts'
import { type Constraint, CONSTRAINTS, readConstraints } from './constraints.ts'

export const MEDIA_TYPE = 'media'

const Count = z.int({ error: 'must be a whole number, 0 or more' }).min(0)

/** A media field with one of these holds a list. */
const LIST = {
  minItems: Count.describe('The least number of items: the field holds a list.'),
  maxItems: Count.describe('The greatest number of items: the field holds a list.'),
} as const

const NO_TEXT = Object.freeze({ faults: Object.freeze([finding('type.text')]) })
const MALFORMED = Object.freeze({ faults: Object.freeze([finding('format.uuid')]) })

/** Whether the fields of a domain take items of its library alone. */
export type IsEnforced = (domain: string) => boolean

/** The id of an item of the library, or a list of them. */
export const mediaType = (isEnforced: IsEnforced): FieldType =>
  Object.freeze({
    name: MEDIA_TYPE,
    aliases: [],
    column: 'uuid',
    attributes: { ...CONSTRAINTS, ...LIST },
    uses: [],
    operators: ['eq', 'ne', 'in', 'null'],
    sortable: false,
    searchable: false,
    readable: true,
    generated: false,
    example: '0192b5a4-7c1e-7def-8abc-0123456789ab',
    compile(definition, context) {
      const constraints = readConstraints(definition)
      const written = writtenOf(definition, Object.keys(CONSTRAINTS))
      const size = writtenOf(definition, Object.keys(LIST))
      if (Object.keys(size).length > 0)
        return context.compile({ type: 'array', items: { ...written, type: MEDIA_TYPE }, ...size })
      return {
        check(value) {
          if (typeof value !== 'string') return NO_TEXT
          return isUuid(value) ? { value: value.toLowerCase() } : MALFORMED
        },
        parseText: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
        openapi: { type: 'string', format: 'uuid' },
        facts: factsOf(written),
        refersTo: (value) => [String(value)],
        verify: (candidates, around) => verify(candidates, constraints, isEnforced(around.domain), around),
      }
    },
  } satisfies FieldType)

const writtenOf = (definition: FieldDefinition, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = definition[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** What clients may check by themselves. */
const factsOf = (written: Readonly<Record<string, unknown>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    Object.entries(written).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String) : typeof value === 'number' ? value : String(value),
    ]),
  )

const NONE: readonly ValueFault[] = Object.freeze([])

/** What is wrong with ids that a field did not hold before; the items are held until the write is done. */
async function verify(
  candidates: readonly Candidate[],
  constraints: readonly Constraint[],
  isEnforced: boolean,
  { reader, isWriting, domain }: Verification,
): Promise<readonly (readonly ValueFault[])[]> {
  const isNew = ({ value, before }: Candidate) => isEnforced && !before.includes(value)
  const ids = new Set(candidates.filter(isNew).map(({ value }) => String(value)))
  if (ids.size === 0) return candidates.map(() => NONE)
  const found = await itemsOf(domain, [...ids], reader, isWriting && 'shared')
  const byId = new Map(found.map((item) => [item.id, item]))
  return candidates.map((candidate) => {
    if (!isNew(candidate)) return NONE
    const item = byId.get(String(candidate.value))
    return item === undefined ? [missing(candidate)] : broken(item, constraints)
  })
}

const missing = ({ value }: Candidate): ValueFault => finding('reference', { target: 'item of media', value })

/** An item without bytes meets no constraint. */
const broken = (item: MediaItem, constraints: readonly Constraint[]): readonly ValueFault[] =>
  constraints.filter(({ meets }) => item.place === undefined || !meets(item)).map(({ fault }) => fault)
