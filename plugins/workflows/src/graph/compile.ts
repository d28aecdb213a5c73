import { checkAutomationName, compileDuration, compileTrigger, type Trigger } from '@svc/automation/contract'
import type { Path, Resource } from '@svc/domain/contract'
import type { WorkflowDefinition } from '../definition/workflow.ts'
import { actionStep } from './action-step.ts'
import { findBranches } from './branches.ts'
import { forEachStep, parallelStep } from './branching-steps.ts'
import { findCycles } from './cycles.ts'
import { decideStep } from './decide-step.ts'
import { type Draft, gatherSteps } from './drafts.ts'
import type { Compiling, StepPlace } from './place.ts'
import { Scopes } from './scopes.ts'
import { stepsIn } from './speech.ts'
import type { Step, StepKind, Workflow } from './step.ts'
import { waitStep } from './wait-step.ts'

const COMPILE = {
  action: actionStep,
  wait: waitStep,
  decide: decideStep,
  parallel: parallelStep,
  forEach: forEachStep,
} satisfies Record<StepKind, (place: StepPlace) => Omit<Step, 'reads' | 'shapes'> | undefined>

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
  const scopes = new Scopes({ drafts, branches, triggering, handler, resources: site.model.resources, site })
  const steps = new Map<string, Step>()
  for (const draft of drafts.values()) {
    const step = compileStep(
      {
        ...compiling,
        draft,
        path: draft.path,
        scope: scopes.of(draft.name),
        branches,
        workflow: name,
      },
      drafts.keys(),
    )
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
      itemNames: scopes.itemNames(),
      forEachAround: scopes.forEachAround(),
    },
    places: new Map([...drafts].map(([step, draft]) => [step, draft.path])),
    kinds: new Map([...drafts].map(([step, draft]) => [step, draft.kind])),
  }
}

function compileStep(place: StepPlace, steps: Iterable<string>): Step | undefined {
  const { draft, scope } = place
  const step = COMPILE[draft.kind](place)
  if (step === undefined) return undefined
  return Object.freeze({ ...step, reads: stepsIn(step.expressions, steps), shapes: scope.variables })
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
