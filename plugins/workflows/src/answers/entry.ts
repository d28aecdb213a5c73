import { z } from 'zod'
import { INSTANCE_STATUSES } from '../tables/instances.ts'
import { STEP_KINDS } from '../graph/step.ts'

const moment = z.string().nullable()
const record = z.record(z.string(), z.unknown()).nullable()

const FailureShown = z.object({
  code: z.string().describe('The code that a client would get, or one that stands in ledgers alone.'),
  message: z.string(),
})

const Trigger = z.object({
  event: z
    .string()
    .nullable()
    .describe('What happened to the record; null where the instance was started otherwise.'),
  resource: z.string().nullable(),
  recordId: z.string().nullable(),
  record: record.describe('The record as the write left it, as far as you may read it.'),
  actor: z.object({ id: z.string().nullable(), username: z.string().nullable() }).describe('Who wrote it.'),
  input: z.unknown().describe('What it was started with, where it was started by hand or by a schedule.'),
})

const Wait = z.object({
  step: z.string(),
  resource: z.string().nullable(),
  event: z.string().nullable(),
  transition: z.union([z.string(), z.array(z.string())]).nullable(),
  field: z.string().nullable(),
  fields: z.array(z.string()).nullable(),
  history: z.string().nullable(),
  filter: z.string().nullable(),
  until: moment.describe('When the rest ends whatever happens; null: never.'),
})

const Step = z.object({
  name: z.string(),
  kind: z.enum(STEP_KINDS),
  status: z.enum(INSTANCE_STATUSES),
  attempt: z.int().describe('Which try of the step this is, from 1.'),
  item: z.unknown().describe('The item of a forEach that it was about: the key of a record, or the value.'),
  startedAt: z.string(),
  finishedAt: moment,
  result: z.unknown(),
  event: z
    .object({ record, previous: record, transition: z.string().nullable() })
    .nullable()
    .describe('What ended a wait.'),
  error: FailureShown.nullable(),
})

/** An instance in a list. */
export const InstanceListed = z.object({
  id: z.string(),
  workflow: z.string(),
  version: z.int().describe('Which text of the workflow it keeps to, counted from 1.'),
  status: z
    .enum(INSTANCE_STATUSES)
    .describe('running: something is to be done; waiting: every line rests; the others: it is over.'),
  depth: z.int().describe('How many writes have brought about the one that started it.'),
  startedAt: z.string(),
  finishedAt: moment,
  trigger: Trigger,
  waitingFor: z.array(Wait).describe('What its lines wait for.'),
  error: FailureShown.extend({
    step: z.string().nullable(),
    handler: FailureShown.extend({ step: z.string().nullable() })
      .nullable()
      .describe('Why the handler failed, where it did.'),
  }).nullable(),
  reason: z.string().nullable().describe('Why it was cancelled.'),
})

/** An instance. */
export const InstanceShown = InstanceListed.extend({
  steps: z.array(Step).describe('In the order in which they began; one that ran twice stands there twice.'),
})
