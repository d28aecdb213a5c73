import type { ActionPlace, Performer } from '@svc/automation/contract'
import { madeOf, type Model, type Resource } from '@svc/domain/contract'
import { nearest } from '@svc/kernel'
import type { Workflows } from './contract.ts'

/** What of a workflow an action has to know: its name, and whose records it is about. */
interface Startable {
  readonly name: string
  readonly resource: Resource | undefined
}

/**
 * How `action: workflow` is done: an instance of `target` is entered in the transaction of the action, for the record at
 * hand, with `input` as `$trigger.input`. `known` has the workflows of a model, once their key is compiled.
 */
export const workflowPerformer = (
  { start }: Workflows,
  known: (model: Model) => readonly Startable[],
): Performer => ({
  in: ['schedule'],
  compile({ target = '', input = {} }, place) {
    const { site, path, speech } = place
    const { model } = site
    if (!isStartable(target, known(model), place)) return undefined
    const given = site.value(input, [...path, 'input'], speech)
    const inputMade = madeOf(given?.expressions ?? [], place.resource)
    return (
      given && {
        expressions: given.expressions,
        async perform({ writes, context, key = null, depth }) {
          const asked = { model, workflow: target, key, input: given.evaluate(context), inputMade, depth }
          return { instanceId: await start(writes, asked) }
        },
      }
    )
  },
})

/** Whether a workflow can be started with the record at hand; reports why not. */
function isStartable(
  target: string,
  known: readonly Startable[],
  { site, path, resource: atHand }: ActionPlace,
): boolean {
  const at = [...path, 'target']
  const found = known.find(({ name }) => name === target)
  if (found === undefined) {
    const meant = nearest(
      target,
      known.map(({ name }) => name),
    )
    site.problem(at, `there is no workflow '${target}'`, meant && `Did you mean '${meant}'?`)
    return false
  }
  if (found.resource === atHand) return true
  const about = found.resource === undefined ? 'no record' : `records of '${found.resource.name}'`
  const hint =
    found.resource === undefined
      ? 'Take the source away, or give the trigger of the workflow its resource'
      : `Give the schedule a source with 'resource: ${found.resource.name}'`
  site.problem(at, `'${target}' is about ${about}`, hint)
  return false
}
