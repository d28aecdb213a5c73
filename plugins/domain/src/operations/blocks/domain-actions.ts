import type { Action } from '@svc/kernel'
import { type AddedAction, addedActions } from '../../blocks/actions.ts'
import { inputFaults } from '../../write/refuse.ts'
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
    notes: { ...action.notes, domain: model.name, block: { key, action: action.name } },
    handle: (input: unknown, call) => action.handle(input, call, data),
  }
}
