import type { Action, Inbound } from '@svc/kernel'
import { actionAccess, permissionAccess } from '../access/operation.ts'
import { PUBLIC } from '../access/verdict.ts'
import type { Resource } from '../model/resource.ts'
import { keyFrom } from '../query/key.ts'
import { changeOf, notesOf, type RecordInput, replyWith, routesOf, type Surroundings } from './operation.ts'
import { idempotent } from './idempotent.ts'
import { parentOf } from './parent.ts'

interface TransitionInput extends RecordInput {
  readonly transition?: string
}

/**
 * One action for each transition of the resource's state machine, and one that takes the name from the path, for
 * names that no transition has: it tells which there are.
 */
export function transitions(around: Surroundings): readonly Action[] {
  const { stateMachine } = around.resource
  if (stateMachine === undefined) return []
  const named = stateMachine.transitions.map((name) => ({
    ...transition(around, name),
    routes: routesOf(around.resource, 'POST', `/:id/transitions/${name}`),
  }))
  return [...named, transition(around, undefined)]
}

/**
 * Whoever may get a record hears that a transition does not leave its state before anything is said of rights, so the
 * record decides; strangers alone are sent away before, where nothing is public.
 */
function accessTo(resource: Resource, name?: string): Action['access'] {
  const own = name === undefined ? undefined : resource.permissions.transitions[name]
  const access = own === undefined ? actionAccess(resource, 'update') : permissionAccess(own)
  return access.includes(PUBLIC) ? access : 'record'
}

function transition(around: Surroundings, name: string | undefined): Action {
  const { resource, writer } = around
  const action = `${resource.actionPrefix}${name ?? 'transition'}`
  return {
    name: action,
    summary: `Take one ${resource.name} ${name === undefined ? 'to another state' : `through '${name}'`}`,
    access: accessTo(resource, name),
    routes: routesOf(resource, 'POST', '/:id/transitions/:transition'),
    bind: bindTransition,
    notes: notesOf(around, 'transition', name === undefined ? {} : { transition: name }),
    handle: (input: TransitionInput, outer) =>
      idempotent(around, action, input, outer, async (transact, call) => {
        const { id, data = {}, transition: asked = '' } = input
        const change = changeOf(around, call, 'transition', {
          body: data,
          key: keyFrom(resource, id),
          wanted: name ?? asked,
          parent: await parentOf(around, input, call),
        })
        return writer.answer(change, transact, (made, transaction) => replyWith(made, 200, transaction))
      }),
  }
}

const bindTransition = ({ params, query }: Inbound, body: unknown): object => ({
  ...params,
  path: params,
  data: body ?? {},
  query,
})
