import type { Transaction } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { ApplyStep, Change } from '../write/change.ts'
import type { BlockStep } from '../contract/part.ts'
import type { Writes } from './writes.ts'

/** The steps that blocks add to every write of a model, in the order in which the blocks were added. */
export function blockSteps(model: Model, writesOf: WritesOf): BlockSteps {
  const stepsOf = (moment: Moment) => byResource(model, (part) => part[moment])
  const afterWrite = stepsOf('afterWrite')
  return {
    beforeWrite: applied(stepsOf('beforeWrite'), writesOf),
    afterWrite: applied(afterWrite, writesOf),
    endsWithWrite: (resource) => !afterWrite.has(resource),
  }
}

/** What the steps of a change write by. */
export type WritesOf = (change: Change, transaction: Transaction) => Writes

interface BlockSteps extends Readonly<Record<Moment, ApplyStep>> {
  /** Whether a write of the resource is the last that happens in its transaction, as far as blocks go. */
  endsWithWrite(resource: Resource): boolean
}

type Moment = 'beforeWrite' | 'afterWrite'
type Steps = ReadonlyMap<Resource, readonly BlockStep[]>

/** The steps of each resource that has some. */
function byResource({ parts, resources }: Model, step: (part: Part) => BlockStep | undefined): Steps {
  const all = [...resources.values()].map((resource) => {
    const own = parts.filter((placed) => placed.resource === undefined || placed.resource === resource)
    return [resource, own.flatMap(({ part }) => step(part) ?? [])] as const
  })
  return new Map(all.filter(([, steps]) => steps.length > 0))
}

type Part = Model['parts'][number]['part']

const applied =
  (byResource: Steps, writesOf: WritesOf): ApplyStep =>
  (change, transaction) => {
    const steps = byResource.get(change.resource)
    return steps && inTurn(steps, change, writesOf(change, transaction))
  }

async function inTurn(steps: readonly BlockStep[], ...given: Parameters<BlockStep>): Promise<void> {
  for (const step of steps) {
    const pending = step(...given)
    if (pending !== undefined) await pending
  }
}
