import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { ApplyStep } from '../write/change.ts'

/** The steps that blocks add to every write of a model, in the order in which the blocks were added. */
export const blockSteps = (model: Model): BlockSteps => ({
  beforeWrite: stepOf('beforeWrite', model),
  afterWrite: stepOf('afterWrite', model),
  endsWithWrite: (resource) => stepsFor(resource, 'afterWrite', model).length === 0,
})

interface BlockSteps extends Readonly<Record<Moment, ApplyStep>> {
  /** Whether a write of the resource is the last that happens in its transaction, as far as blocks go. */
  endsWithWrite(resource: Resource): boolean
}

type Moment = 'beforeWrite' | 'afterWrite'

function stepOf(moment: Moment, model: Model): ApplyStep {
  const byResource = new Map(
    [...model.resources.values()].map((resource) => [resource, stepsFor(resource, moment, model)]),
  )
  return (change, transaction) => {
    const steps = byResource.get(change.resource) ?? []
    return steps.length === 0 ? undefined : inTurn(steps, change, transaction)
  }
}

const stepsFor = (resource: Resource, moment: Moment, { parts }: Model): readonly ApplyStep[] =>
  parts
    .filter((placed) => placed.resource === undefined || placed.resource === resource)
    .flatMap(({ part }) => part[moment] ?? [])

async function inTurn(
  steps: readonly ApplyStep[],
  ...[change, transaction]: Parameters<ApplyStep>
): Promise<void> {
  for (const step of steps) {
    const pending = step(change, transaction)
    if (pending !== undefined) await pending
  }
}
