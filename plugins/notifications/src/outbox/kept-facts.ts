import type { Facts, Speech } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Caller } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { z } from 'zod'

/** What texts are worked out with, as JSON keeps it: the caller and the clock are those of then. */
const KeptFacts = z.object({
  record: z.custom<Row>().nullable(),
  previous: z.custom<Row>().nullable(),
  user: z.custom<Caller>().optional(),
  op: z.string().optional(),
  names: z.record(z.string(), z.custom<Value>()),
  parameters: z.record(z.string(), z.custom<Value>()),
  variables: z.record(z.string(), z.custom<Value>()),
  now: z.number(),
})
type KeptFacts = z.output<typeof KeptFacts>

/** What is known of a notification when it is raised. */
export function factsOf(
  { record, previous, user, op, names, parameters, variables, now }: EvaluationContext,
  { resource, variables: shapes, names: nameShapes }: Speech,
): Facts {
  return { resource, record, previous, user, op, names, parameters, variables, shapes, nameShapes, now }
}

/** The same as JSON keeps it. */
export function keepFacts({ record, previous, user, op, names, parameters, variables, now }: Facts): Value {
  const kept: KeptFacts = {
    record: record ?? null,
    previous: previous ?? null,
    ...(user && { user }),
    ...(op !== undefined && { op }),
    names: { ...names },
    parameters: { ...parameters },
    variables: { ...variables },
    now: now(),
  }
  return JSON.parse(JSON.stringify(kept)) as Value
}

/** What `keepFacts` kept. */
export function openFacts(kept: unknown, { resource, variables: shapes, names: nameShapes }: Speech): Facts {
  const { now, ...facts } = KeptFacts.parse(kept)
  return { ...facts, resource, shapes, nameShapes, now: () => now }
}

/** The facts of some records of a batch; null: of all of them. */
export function amongRecords(facts: Facts, places: readonly number[] | null): Facts {
  const records = facts.variables?.['records']
  if (places === null || !Array.isArray(records)) return facts
  const some = places.flatMap((place): Value[] => (records[place] === undefined ? [] : [records[place]]))
  return { ...facts, variables: { ...facts.variables, records: some, count: some.length } }
}
