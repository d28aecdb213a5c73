import {
  entryOf,
  type Ledger,
  ledgerReader,
  type LedgerReader,
  ledgerWindow,
  onceOf,
  type Window,
  windows,
} from '@svc/automation/contract'
import { type Data, domainAction, madeOf, seesKnown } from '@svc/domain/contract'
import { type Call, Reply } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import { retry } from '../course/retrying.ts'
import type { Setting } from '../course/setting.ts'
import { cancel } from '../course/stopping.ts'
import { startByHand } from '../course/starting.ts'
import type { Listening } from '../course/triggering.ts'
import type { Step } from '../graph/step.ts'
import { INSTANCE, INSTANCE_STATUSES } from '../tables/instances.ts'
import { InstanceListed, InstanceShown } from './entry.ts'
import { presentInstance, presentListed, type Sight } from './present.ts'

/** The actions by which administrators start instances, look at them, cancel them and set them going again. */
export function instanceActions(listening: readonly Listening[], setting: Setting): Window {
  const ledger: Ledger = {
    table: setting.tables.instances,
    id: INSTANCE.id,
    at: INSTANCE.startedAt,
    filters: {
      workflow: { column: INSTANCE.workflow, description: 'Only instances of this workflow.' },
      status: {
        column: INSTANCE.status,
        description: 'Only those of this status.',
        values: INSTANCE_STATUSES,
      },
      resource: { column: INSTANCE.resource, description: 'Only those about records of this resource.' },
      recordId: { column: INSTANCE.recordId, description: 'Only those about the record with this key.' },
    },
    entry: InstanceShown,
    present: (row, reader) => presentInstance(row, setting, reader.data.reader, sightOf(reader)),
  }
  const shown = async (id: string, call: Call, data: Data): Promise<Row> => {
    const row = await entryOf(id, ledger, data.reader, 'an instance')
    return ledger.present(row, ledgerReader(data, call))
  }
  const acting: Window = {
    actions: [
      domainAction({
        name: 'start',
        summary: 'Start an instance of a workflow',
        access: ['admin'],
        routes: ['POST /workflows/:name/instances'],
        input: Starting,
        output: InstanceShown,
        notes: { status: 201 },
        async handle({ name, recordId = null, input = null }, call, data) {
          const { caller } = call
          const id = await data.write(
            call,
            (writes) => startByHand({ setting, listening, name, recordId, input, caller }, writes),
            onceOf(call, `workflows start ${name}`, { recordId, input }),
          )
          return Reply.created(await shown(id, call, data))
        },
      }),
      domainAction({
        name: 'cancel',
        summary: 'Cancel an instance',
        access: ['admin'],
        routes: ['POST /workflows/instances/:id/cancel'],
        input: Cancelling,
        output: InstanceShown,
        async handle({ id, reason = null }, call, data) {
          await entryOf(id, ledger, data.reader, 'an instance')
          const once = onceOf(call, `workflows cancel ${id}`, { reason })
          await data.write(call, (writes) => cancel(setting, writes, id, reason), once)
          return shown(id, call, data)
        },
      }),
      domainAction({
        name: 'retry',
        summary: 'Set an instance going again that failed',
        access: ['admin'],
        routes: ['POST /workflows/instances/:id/retry'],
        input: Named,
        output: InstanceShown,
        async handle({ id }, call, data) {
          await entryOf(id, ledger, data.reader, 'an instance')
          await data.write(
            call,
            (writes) => retry(setting, writes, id),
            onceOf(call, `workflows retry ${id}`, {}),
          )
          return shown(id, call, data)
        },
      }),
    ],
    openapi: { operations: documented() },
  }
  return windows(
    ledgerWindow({
      ledger,
      schema: 'WorkflowInstance',
      words: ['an instance', 'instances'],
      list: { name: 'instances', path: '/workflows/instances' },
      get: 'instance',
      inList: {
        entry: InstanceListed,
        present: (row, reader) => presentListed(row, setting, reader.data.reader, sightOf(reader)),
      },
    }),
    acting,
  )
}

const Named = z.strictObject({ id: z.string().describe('The instance.') })
const Starting = z.strictObject({
  name: z.string().describe('The workflow.'),
  recordId: z
    .union([z.string(), z.number()])
    .nullish()
    .describe(
      "The key of the record that it is about, one of the trigger's resource; none where that names no resource.",
    ),
  input: z.json().nullish().describe('What steps find as `$trigger.input`.'),
})
const Cancelling = Named.extend({
  reason: z.string().max(1000).nullish().describe('Why, for whoever looks at it later.'),
})

const documented = (): NonNullable<Window['openapi']['operations']> => {
  const data = { $ref: '#/components/schemas/WorkflowInstance' }
  return {
    start: {
      description:
        'It begins whatever `trigger.condition` says, and is 409 while the workflow is disabled. Steps run once the answer is there.',
      headers: ['Idempotency-Key'],
      answers: { description: 'The instance', data },
      failures: [404, 409, 422],
    },
    cancel: {
      description: 'A step in flight is finished, and no other begins. It has to run or to wait.',
      headers: ['Idempotency-Key'],
      answers: { description: 'The instance, cancelled', data },
      failures: [404, 409],
    },
    retry: {
      description:
        'Every line that failed or was cancelled goes again from the step where it stopped, with everything before it kept. It has to have failed.',
      headers: ['Idempotency-Key'],
      answers: { description: 'The instance, running', data },
      failures: [404, 409],
    },
  }
}

/** What a reader sees of what instances keep. */
const sightOf = (reader: LedgerReader): Sight => ({
  record: (resource, kept) => reader.record(resource, kept),
  item: (step) => mayHearItems(step, reader),
  through: (veil) => reader.sees(veil),
})

/** The key of a record may be told, and an item that was made of nothing that is hidden from the reader. */
function mayHearItems(step: Step, { call, data }: LedgerReader): boolean {
  if (step.kind !== 'forEach' || step.collection.of === 'records') return true
  const made = madeOf([step.collection.list], step.resource)
  return seesKnown(made, (resource) => data.access(resource, call.caller))
}
