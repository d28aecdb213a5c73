import { assertNotPassedOver } from '@svc/automation/contract'
import { type Resource, veilOf, workOutAll } from '@svc/domain/contract'
import type { Known } from '@svc/expression/contract'
import { type Caller, errors, nearest, SYSTEM } from '@svc/kernel'
import type { Row, Transaction, Value } from '@svc/store/contract'
import type { Workflow } from '../graph/step.ts'
import { enter } from './entering.ts'
import { hasKey, keptRecord, keyOf, living, recordOf } from './records.ts'
import type { Setting } from './setting.ts'
import type { Listening } from './triggering.ts'

/** What an instance is started with by anybody but a write. */
export interface Starting {
  readonly setting: Setting
  readonly listening: readonly Listening[]
  readonly name: string
  readonly recordId: Value
  readonly input: Value
  readonly inputMade?: Known | undefined
  readonly caller: Pick<Caller, 'id' | 'username'>
  readonly depth?: number
}

/** Starts an instance by hand. Throws NOT_FOUND, CONFLICT while the workflow is disabled, and VALIDATION_ERROR. */
export async function startByHand(
  { setting, listening, name, recordId, input, inputMade = 'unknown', caller, depth = 0 }: Starting,
  transaction: Transaction,
): Promise<string> {
  const found = listening.find(({ workflow }) => workflow.name === name)
  if (found === undefined) throw noWorkflow(name, listening)
  const { workflow } = found
  if (!found.switch.enabled) throw errors.CONFLICT({ message: `The workflow '${name}' is disabled` })
  const { resource } = workflow
  const { id, username } = caller
  const row = await recordFor(workflow, resource, recordId, transaction)
  return enter(setting, transaction, {
    workflow,
    depth,
    event: null,
    resource: resource?.name ?? null,
    recordId: row && resource ? recordOf(resource, row).recordId : null,
    record:
      row && resource ? keptRecord(workOutAll(row, setting.data().access(resource, SYSTEM)), resource) : null,
    actor: { id, username },
    input,
    inputVeil: veilOf(inputMade, () => setting.env.now()),
  })
}

/** The record that is meant, as it is stored; undefined where the workflow is about none. */
async function recordFor(
  { name }: Workflow,
  resource: Resource | undefined,
  recordId: Value,
  transaction: Transaction,
): Promise<Row | undefined> {
  if (resource === undefined) {
    if (recordId === null) return undefined
    throw fault(`'${name}' is about no record: leave 'recordId' out`)
  }
  if (recordId === null)
    throw fault(`'${name}' is about a record of '${resource.name}': name it by 'recordId'`)
  const where = keyOf(resource, recordId) === undefined ? undefined : hasKey(resource, recordId)
  const [row] =
    where === undefined
      ? []
      : await transaction.select({
          table: resource.table,
          columns: resource.columns,
          where: { op: 'and', of: [where, living(resource)] },
          order: [],
          lock: 'shared',
        })
  if (row === undefined)
    throw errors.NOT_FOUND({
      message: `There is no record '${String(recordId).slice(0, 50)}' of '${resource.name}'`,
    })
  await assertNotPassedOver(resource, row[resource.key.name] ?? null, transaction)
  return row
}

const fault = (message: string) =>
  errors.VALIDATION_ERROR({ errors: [{ field: 'recordId', rule: 'recordId', message }] })

function noWorkflow(name: string, listening: readonly Listening[]) {
  const meant = nearest(
    name,
    listening.map(({ workflow }) => workflow.name),
  )
  const hint = meant === undefined ? '' : `: did you mean '${meant}'?`
  return errors.NOT_FOUND({ message: `There is no workflow '${name.slice(0, 63)}'${hint}` })
}
