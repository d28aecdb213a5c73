import type { EvaluationContext, Neighbour } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import { z } from 'zod'
import type { Said } from '../texts/words.ts'

const Texts = z.union([z.string(), z.record(z.string(), z.string())])

/** A notification as it is kept with what it was raised with. */
const Written = z.object({
  channels: z.array(z.object({ type: z.string(), settings: z.json() })),
  words: z.object({ subject: Texts.nullable(), body: Texts }),
  speech: z.unknown(),
})
export type KeptWritten = z.output<typeof Written>

const NamedValues = z.object({
  roles: z.array(z.string()),
  values: z.array(z.object({ value: z.string(), records: z.array(z.int()).nullable() })),
})
export type KeptNamed = z.output<typeof NamedValues>

/** What texts are worked out with, as far as it can be kept: the caller and the clock are those of then. */
const Context = z.object({
  record: z.custom<Row>().nullable(),
  previous: z.custom<Row>().nullable(),
  neighbours: z.custom<NonNullable<EvaluationContext['neighbours']>>().optional(),
  previousNeighbours: z.custom<NonNullable<EvaluationContext['previousNeighbours']>>().optional(),
  user: z.custom<NonNullable<EvaluationContext['user']>>().optional(),
  op: z.string().optional(),
  parameters: z.record(z.string(), z.custom<Value>()),
  variables: z.record(z.string(), z.custom<Value>()),
  batch: z.array(z.custom<Neighbour>()).nullable(),
  now: z.number(),
  /** What anybody may be told. */
  said: z.custom<Said>(),
})
export type KeptContext = z.output<typeof Context>

/** What was kept with a notification. */
export const openWritten = (kept: unknown): KeptWritten => Written.parse(kept)
export const openNamed = (kept: unknown): KeptNamed => NamedValues.parse(kept)
export const openContext = (kept: unknown): KeptContext => Context.parse(kept)

/** A context as JSON keeps it. */
export function keepContext(
  { record, previous, parameters, variables, now, ...rest }: EvaluationContext,
  { batch, said }: { readonly batch: readonly Neighbour[] | undefined; readonly said: Said },
): Value {
  const kept = {
    ...rest,
    record: record ?? null,
    previous: previous ?? null,
    parameters: parameters ?? {},
    variables: variables ?? {},
    batch: batch ?? null,
    now: now(),
    said,
  }
  return JSON.parse(JSON.stringify(kept)) as Value
}

/** The same for evaluation. */
export function contextOf({ now, batch: _, said: __, ...kept }: KeptContext): EvaluationContext {
  return { ...kept, now: () => now }
}
