import type { Transaction } from '@svc/store/contract'
import type { BlockStep, Part } from '../contract/part.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { ApplyStep, Change, PrepareStep } from '../write/change.ts'
import { runInside } from './inside.ts'
import type { Writes } from '../contract/writes.ts'

/** The steps that blocks add to the writes of a model, in the order of their keys. */
export interface BlockSteps extends Moments {
  /** Before the transaction; undefined where no block has anything to do then. */
  readonly prepare: PrepareStep | undefined
  /** The steps around a link; undefined where no block hears of those of the resource. */
  linking(resource: Resource): Moments | undefined
  /** Whether a write of the resource is the last that happens in its transaction, as far as blocks go. */
  endsWithWrite(resource: Resource): boolean
}

type Moments = Readonly<Record<'beforeWrite' | 'afterWrite', ApplyStep>>

/** What the steps of a change write by. */
export type WritesOf = (change: Change, transaction: Transaction) => Writes

export function blockSteps(model: Model, writesOf: WritesOf): BlockSteps {
  const beforeWrite = byResource(model, ({ beforeWrite: step }) => step)
  const afterWrite = byResource(model, ({ afterWrite: step }) => step)
  const linkBefore = byResource(model, ({ links, beforeWrite: step }) => (links ? step : undefined))
  const linkAfter = byResource(model, ({ links, afterWrite: step }) => (links ? step : undefined))
  const linking = {
    beforeWrite: applied(linkBefore, writesOf),
    afterWrite: applied(linkAfter, writesOf),
  }
  return {
    prepare: prepared(byResource(model, ({ prepare }) => prepare)),
    beforeWrite: applied(beforeWrite, writesOf),
    afterWrite: applied(afterWrite, writesOf),
    linking: (resource) => (linkBefore.has(resource) || linkAfter.has(resource) ? linking : undefined),
    endsWithWrite: (resource) => !afterWrite.has(resource),
  }
}

type Steps<S> = ReadonlyMap<Resource, readonly S[]>

/** The steps of each resource that has some. */
function byResource<S>({ parts, resources }: Model, step: (part: Part) => S | undefined): Steps<S> {
  const all = [...resources.values()].map((resource) => {
    const own = parts.filter((placed) => placed.resource === undefined || placed.resource === resource)
    return [resource, own.flatMap(({ part }) => step(part) ?? [])] as const
  })
  return new Map(all.filter(([, steps]) => steps.length > 0))
}

const applied =
  (steps: Steps<BlockStep>, writesOf: WritesOf): ApplyStep =>
  (change, transaction) => {
    const own = steps.get(change.resource)
    return own && runInside(() => inTurn(own, change, writesOf(change, transaction)))
  }

async function inTurn(steps: readonly BlockStep[], ...given: Parameters<BlockStep>): Promise<void> {
  for (const step of steps) {
    const pending = step(...given)
    if (pending !== undefined) await pending
  }
}

function prepared(steps: Steps<NonNullable<Part['prepare']>>): PrepareStep | undefined {
  if (steps.size === 0) return undefined
  return async (change) => {
    for (const step of steps.get(change.resource) ?? []) {
      const pending = step(change, (fault) => change.faults.push(fault))
      if (pending !== undefined) await pending
    }
  }
}
