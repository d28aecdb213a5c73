import { type Action, type AppError, type Call, Reply } from '@svc/kernel'
import { permissionAccess } from '../access/operation.ts'
import type { CustomOperation } from '../model/resource.ts'
import type { Change } from '../write/change.ts'
import type { Transact } from '../write/writer.ts'
import { answerOf } from '../write/custom.ts'
import type { Written } from '../write/once.ts'
import { authorizeNew, assertPossible } from '../write/authorize.ts'
import { readPrevious } from '../write/previous.ts'
import { isObject } from './batch.ts'
import { keyFrom } from '../query/key.ts'
import { idempotent } from './idempotent.ts'
import {
  bindRecord,
  changeOf,
  notesOf,
  type RecordInput,
  replyWith,
  routesOf,
  type Surroundings,
} from './operation.ts'
import { parentOf } from './parent.ts'

/**
 * One action for each custom operation that the resource declares. With a record in its path an operation sets its
 * fields, and what else the body brings, by the ordinary write path; one whose method is GET changes nothing. Its
 * handlers are asked before the commit, and what they answer is the answer.
 */
export const customOperations = (around: Surroundings): readonly Action[] =>
  around.resource.api.customOperations.map((operation) => custom(around, operation))

function custom(around: Surroundings, operation: CustomOperation): Action {
  const { resource } = around
  const { method, path } = operation
  const name = `${resource.actionPrefix}${operation.name}`
  const isWrite = method !== 'GET' && path.split('/').includes(':id')
  const run = isWrite ? write : ask
  return {
    name,
    summary: operation.description ?? `Run '${operation.name}' on ${resource.plural}`,
    access: permissionAccess(operation.permission),
    routes: routesOf(resource, method, path),
    bind: bindRecord,
    notes: notesOf(around, operation.name),
    async handle(input: RecordInput, outer) {
      const began = (call: Call) => begin(around, operation, input, call)
      if (method !== 'POST') return run(around, await began(outer))
      return idempotent(around, name, input, outer, async (transact, call) =>
        run(around, await began(call), transact),
      )
    },
  }
}

async function begin(
  around: Surroundings,
  operation: CustomOperation,
  input: RecordInput,
  call: Call,
): Promise<Change> {
  const { resource } = around
  const change = changeOf(around, call, 'custom', {
    body: operation.method === 'GET' ? (input.query ?? {}) : withoutAssigned(input.data, operation),
    key: input.id === undefined ? undefined : keyFrom(resource, input.id),
    parent: await parentOf(around, input, call),
    operation,
  })
  assertPossible(change)
  return change
}

/** What the operation sets wins over what a client sends, so that does not count. */
function withoutAssigned(data: unknown, { fields }: CustomOperation): unknown {
  if (!isObject(data)) return data ?? {}
  return Object.fromEntries(Object.entries(data).filter(([name]) => !fields.has(name)))
}

const write = (
  { runtime, writer }: Surroundings,
  change: Change,
  transact: Transact<Reply> = (work) => runtime.transaction(change.caller, work),
): AppError | Promise<Written> =>
  writer.answer(change, transact, (made, transaction) =>
    made.answer === undefined ? replyWith(made, 200, transaction) : new Reply({ data: made.answer }),
  )

/** Asks the handlers, and writes nothing by itself. */
async function ask({ runtime }: Surroundings, change: Change, transact?: Transact<Reply>): Promise<Reply> {
  if (change.key !== undefined) await readPrevious(change, runtime.store, false)
  else await authorizeNew(change, runtime.store)
  change.record = change.previous
  const answer = await answerOf(change)
  const reply =
    answer === undefined && change.record
      ? await replyWith(change, 200, runtime.store)
      : new Reply({ data: answer ?? null })
  return transact ? transact(async () => reply) : reply
}
