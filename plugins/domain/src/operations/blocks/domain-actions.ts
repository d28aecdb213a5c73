import type { Action, Route } from '@svc/kernel'
import { type AddedAction, addedActions } from '../../blocks/actions.ts'
import { tellingOf } from '../../speech/speech.ts'
import { inputFaults } from '../../write/refuse.ts'
import { withReplayed } from '../../write/replayed.ts'
import { bindRecord, type Surroundings } from '../operation.ts'

type World = Pick<Surroundings, 'model' | 'data'>

/** The actions that blocks add to a domain. */
export const domainActions = (world: World): readonly Action[] =>
  addedActions(world.model).map((added) => actionOf(added, world))

function actionOf({ key, action, name, routes }: AddedAction, { model, data }: World): Action {
  return {
    ...action,
    name,
    routes,
    ...(action.input === undefined && { bind: bindRecord }),
    localize: inputFaults(model.localizer),
    ...tellingOf(model.localizer),
    notes: { ...action.notes, domain: model.name, block: { key, action: action.name } },
    handle: routes.every(reads)
      ? (input: unknown, call) => action.handle(input, call, data)
      : async (input: unknown, call) => withReplayed(await action.handle(input, call, data), call),
  }
}

const reads = (route: Route): boolean => route.startsWith('GET ')
