import type { StepPlace } from './place.ts'
import { nextFrom } from './place.ts'
import { speechOf } from './speech.ts'
import type { ActionStep } from './step.ts'

/** Compiles a step that does something; undefined where something is wrong with it, which is reported. */
export function actionStep(place: StepPlace): Omit<ActionStep, 'reads' | 'shapes'> | undefined {
  const { draft, path, scope, site, workflow } = place
  const { written, name } = draft
  const { resource, isItem } = scope
  const { action: kind = 'noop', target, input, transition, recordId, notification } = written
  const action = place.action(
    {
      action: kind,
      ...(target !== undefined && { target }),
      ...(input !== undefined && { input }),
      ...(transition !== undefined && { transition }),
      ...(recordId !== undefined && { recordId }),
      ...(notification !== undefined && { notification }),
    },
    { site, path, in: 'workflow', resource, speech: speechOf(scope), name: ['workflows', workflow, name] },
  )
  if (action === undefined) return undefined
  const { expressions } = action
  return { kind: 'action', name, next: nextFrom(place, written.then), resource, isItem, expressions, action }
}
