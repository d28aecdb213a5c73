import { checkAutomationName, compileDuration, compileTrigger, type Trigger } from '@svc/automation/contract'
import type { Path, Resource } from '@svc/domain/contract'
import type { WorkflowDefinition } from '../definition/workflow.ts'
import { actionStep } from './action-step.ts'
import { type Branch, type Branches, findBranches } from './branches.ts'
import { forEachStep, parallelStep } from './branching-steps.ts'
import { findCycles } from './cycles.ts'
import { decideStep } from './decide-step.ts'
import { type Draft, gatherSteps } from './drafts.ts'
import type { Compiling, StepPlace } from './place.ts'
import { checkNames, type Scope } from './speech.ts'
import type { Step, StepKind, Workflow } from './step.ts'
import { waitStep } from './wait-step.ts'

const COMPILE = {
  action: actionStep,
  wait: waitStep,
  decide: decideStep,
  parallel: parallelStep,
  forEach: forEachStep,
} satisfies Record<StepKind, (place: StepPlace) => Omit<Step, 'reads'> | undefined>

/** A workflow with the places of its steps, for whoever has to tell what is wrong with which of them. */
export interface Compiled {
  readonly workflow: Workflow
  /** Where each step stands in the text. */
  readonly places: ReadonlyMap<string, Path>
  readonly kinds: ReadonlyMap<string, StepKind>
}

/** Compiles a workflow of which `path` leads to the text. What is wrong is reported to the site; what is right stands in the answer. */
export function compileWorkflow(
  name: string,
  written: WorkflowDefinition,
  path: Path,
  compiling: Compiling,
): Compiled {
  const { site } = compiling
  checkAutomationName(name, path, site, 'a workflow')
  if (Object.keys(written.steps).length === 0) site.problem([...path, 'steps'], 'is empty', 'Add a step')
  const triggering = resourceOf(written, path, compiling)
  const drafts = gatherSteps(written, path, site)
  const { onError, start } = written
  const handler = onError === undefined ? undefined : typeof onError === 'string' ? onError : 'onError'
  const branches = findBranches(
    {
      drafts,
      path,
      start: start === undefined ? undefined : { to: start, path: [...path, 'start'] },
      onError: handler === undefined ? undefined : { to: handler, path: [...path, 'onError'] },
    },
    site,
  )
  findCycles(drafts, branches, site)
  const scopes = new Scopes(drafts, branches, triggering, handler, site.model.resources)
  const steps = new Map<string, Step>()
  for (const draft of drafts.values()) {
    const step = compileStep({
      ...compiling,
      draft,
      path: draft.path,
      scope: scopes.of(draft.name),
      branches,
      workflow: name,
    })
    if (step !== undefined) steps.set(draft.name, step)
  }
  const timeout =
    written.timeout && compileDuration(written.timeout.duration, [...path, 'timeout', 'duration'], site)
  warnOfEndlessWaits(written, drafts, compiling)
  return {
    workflow: {
      name,
      enabled: written.enabled,
      resource: triggering,
      trigger: triggerOf(written, path, compiling),
      start: branches.start,
      steps,
      timeout,
      onError: handler,
      itemNames: scopes.itemNames,
      forEachAround: scopes.forEachAround(drafts.keys()),
    },
    places: new Map([...drafts].map(([step, draft]) => [step, draft.path])),
    kinds: new Map([...drafts].map(([step, draft]) => [step, draft.kind])),
  }
}

function compileStep(place: StepPlace): Step | undefined {
  const { draft, path, scope, site } = place
  const step = COMPILE[draft.kind](place)
  if (step === undefined) return undefined
  const reads = checkNames(step.expressions, scope, path, site)
  return Object.freeze({ ...step, reads })
}

function resourceOf({ trigger }: WorkflowDefinition, path: Path, { site }: Compiling): Resource | undefined {
  const name = trigger?.resource
  // Where an event is named too, the trigger reports what is wrong with it.
  const resource = name === undefined ? undefined : site.model.resources.get(name)
  if (name !== undefined && resource === undefined && trigger?.event === undefined)
    site.problem([...path, 'trigger', 'resource'], `there is no resource '${name}'`)
  return resource
}

function triggerOf(
  { trigger }: WorkflowDefinition,
  path: Path,
  { site, history }: Compiling,
): Trigger | undefined {
  return trigger && compileTrigger(trigger, [...path, 'trigger'], site, { history })
}

function warnOfEndlessWaits(
  { timeout }: WorkflowDefinition,
  drafts: ReadonlyMap<string, Draft>,
  { site }: Compiling,
): void {
  if (timeout !== undefined) return
  for (const { written, path } of drafts.values())
    if (written.wait !== undefined && written.wait.timeout === undefined)
      site.warning([...path, 'wait'], 'may wait for ever', "Give it, or the workflow, a 'timeout'")
}

/** What the expressions of each step may name: items are those of the forEach around it. */
class Scopes {
  readonly #branches: Branches
  readonly #handler: string | undefined
  readonly #resources: ReadonlyMap<string, Resource>
  readonly #outermost: Scope
  readonly itemNames = new Map<string, string>()

  constructor(
    drafts: ReadonlyMap<string, Draft>,
    branches: Branches,
    triggering: Resource | undefined,
    handler: string | undefined,
    resources: ReadonlyMap<string, Resource>,
  ) {
    this.#branches = branches
    this.#handler = handler
    this.#resources = resources
    this.#outermost = {
      resource: triggering,
      isItem: false,
      triggering,
      items: [],
      isHandler: false,
      steps: new Set(drafts.keys()),
    }
    for (const draft of drafts.values()) {
      const { forEach } = draft.written
      if (forEach === undefined) continue
      const first = typeof forEach.step === 'string' ? forEach.step : `${draft.name}.step`
      this.itemNames.set(first, forEach.as ?? 'item')
    }
  }

  of(step: string): Scope {
    return this.#around(step)
      .toReversed()
      .reduce((scope, branch) => this.#inside(scope, branch), this.#outermost)
  }

  /** The innermost forEach around each of the steps that are in one. */
  forEachAround(steps: Iterable<string>): ReadonlyMap<string, string> {
    return new Map(
      [...steps].flatMap((step) => {
        const branch = this.#around(step).find(({ of }) => of?.kind === 'forEach')
        return branch?.of === undefined ? [] : [[step, branch.of.name] as const]
      }),
    )
  }

  /** The branches around a step, the innermost first. */
  #around(step: string): readonly Branch[] {
    const around: Branch[] = []
    for (let at = this.#branches.branchOf(step); at !== undefined && around.length < MAX_NESTING;) {
      around.push(at)
      at = at.of && this.#branches.branchOf(at.of.name)
    }
    return around
  }

  #inside(scope: Scope, { first, of }: Branch): Scope {
    const isHandler = scope.isHandler || (of === undefined && first === this.#handler)
    const forEach = of?.written.forEach
    if (forEach === undefined) return { ...scope, isHandler }
    const { collection, as = 'item' } = forEach
    const items = [...scope.items, as]
    if (typeof collection === 'string') return { ...scope, isHandler, items }
    return { ...scope, isHandler, items, resource: this.#resources.get(collection.resource), isItem: true }
  }
}

/** Branches in branches beyond what anybody writes: a circle of them is reported elsewhere. */
const MAX_NESTING = 64
