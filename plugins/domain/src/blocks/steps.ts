import type { Transaction } from '@svc/store/contract'
import type { BlockStep, Part, Placed } from '../contract/part.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { ApplyStep, Change, PrepareStep } from '../write/change.ts'
import { inTurn } from './in-turn.ts'
import { runInside } from './inside.ts'
import type { Writes } from '../contract/writes.ts'

/** The steps that blocks add to the writes of a model, in the order of their keys. */
export interface BlockSteps extends Moments {
  /** Before the transaction; undefined where no block has anything to do then. */
  readonly prepare: PrepareStep | undefined
  /** The steps around a link; undefined where no block hears of those of the resource. */
  linking(resource: Resource): Moments | undefined
  /** Whether the steps behind the write of a change do no more than append rows, which may be said before it. */
  readonly appendOnly: (change: Change) => boolean
}

type Moments = Readonly<Record<'beforeWrite' | 'afterWrite', ApplyStep>>

/** What the steps of a change write by. */
export type WritesOf = (change: Change, transaction: Transaction) => Writes

export function blockSteps(model: Model, writesOf: WritesOf): BlockSteps {
  const beforeWrite = byResource(model, dueStep('beforeWrite'))
  const afterWrite = byResource(model, dueStep('afterWrite'))
  const linkBefore = byResource(model, (part) => (part.links ? dueStep('beforeWrite')(part) : undefined))
  const linkAfter = byResource(model, (part) => (part.links ? dueStep('afterWrite')(part) : undefined))
  const linking = {
    beforeWrite: applied(linkBefore, writesOf),
    afterWrite: applied(linkAfter, writesOf),
  }
  return {
    prepare: prepared(byResource(model, ({ prepare }) => prepare)),
    beforeWrite: applied(beforeWrite, writesOf),
    afterWrite: applied(afterWrite, writesOf),
    linking: (resource) => (linkBefore.has(resource) || linkAfter.has(resource) ? linking : undefined),
    appendOnly: (change) =>
      afterWrite
        .get(change.resource)
        ?.every(({ appends, isDue }) => appends?.(change) === true || !isDue(change)) !== false,
  }
}

type Steps<S> = ReadonlyMap<Resource, readonly S[]>

/** The steps of each resource that has some. */
function byResource<S>({ parts, resources }: Model, step: (part: Part) => S | undefined): Steps<S> {
  const all = [...resources.values()].map((resource) => {
    const own = parts.filter((placed) => isAbout(placed, resource))
    return [resource, own.flatMap(({ part }) => step(part) ?? [])] as const
  })
  return new Map(all.filter(([, steps]) => steps.length > 0))
}

const isAbout = ({ resource: own, part }: Placed, resource: Resource): boolean =>
  own === undefined ? (part.resources?.has(resource) ?? true) : own === resource

/** A step with the question whether it is about a change. */
interface DueStep {
  readonly run: BlockStep
  readonly isDue: NonNullable<Part['concerns']>
  readonly appends: Part['appends']
  readonly isWatched: boolean
}

const always = (): boolean => true

const dueStep =
  (moment: keyof Moments) =>
  ({ [moment]: run, concerns: isDue = always, appends, selfContained }: Part): DueStep | undefined =>
    run && { run, isDue, appends, isWatched: selfContained !== true }

/** Where no step is about a change, nothing is begun for it. */
const applied =
  (steps: Steps<DueStep>, writesOf: WritesOf): ApplyStep =>
  (change, transaction) => {
    const own = steps.get(change.resource)
    if (own === undefined || !own.some(({ isDue }) => isDue(change))) return undefined
    const run = () => runDue(own, change, writesOf(change, transaction))
    return own.some(({ isWatched, isDue }) => isWatched && isDue(change)) ? runInside(run) : run()
  }

/** Whether a step is about a change is asked when its turn comes: the ones before may have changed that. */
async function runDue(steps: readonly DueStep[], ...given: Parameters<BlockStep>): Promise<void> {
  for (const { run, isDue } of steps) {
    if (!isDue(given[0])) continue
    const pending = run(...given)
    if (pending !== undefined) await pending
  }
}

function prepared(steps: Steps<NonNullable<Part['prepare']>>): PrepareStep | undefined {
  if (steps.size === 0) return undefined
  return (change) => {
    const own = steps.get(change.resource)
    return own && inTurn(own, change, (fault) => void change.faults.push(fault))
  }
}
