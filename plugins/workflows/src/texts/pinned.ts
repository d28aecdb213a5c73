import type { ApartSite, Path, Problem } from '@svc/domain/contract'
import { z } from 'zod'
import { WorkflowDefinition } from '../definition/workflow.ts'
import { compileWorkflow } from '../graph/compile.ts'
import type { Compiling } from '../graph/place.ts'
import type { FaultyStep, Step, Workflow } from '../graph/step.ts'

/**
 * Compiles a text that was in force once, of which `site` is the place: steps that speak of what is gone since fail as a client
 * would who asked for that.
 */
export function compilePinned(
  name: string,
  { site, ...compiling }: Omit<Compiling, 'site'> & { readonly site: ApartSite },
): Workflow {
  const written = z.record(z.string(), WorkflowDefinition).parse(site.filled)[name]
  if (written === undefined) throw new Error(`no text of the workflow '${name}' is kept`)
  const { workflow, places, kinds } = compileWorkflow(name, written, [name], { ...compiling, site })
  const steps = new Map<string, Step | FaultyStep>(workflow.steps)
  for (const [step, place] of places) {
    const problem = site.problems.find(({ path }) => isInnermost(path, place, places))
    if (problem === undefined && steps.has(step)) continue
    steps.set(step, faulty(step, kinds.get(step) ?? 'action', problem))
  }
  return { ...workflow, steps }
}

/** Whether a problem is told about this step, and not about one that is written in it. */
function isInnermost(path: Path, place: Path, places: ReadonlyMap<string, Path>): boolean {
  if (!isBelow(path, place)) return false
  return ![...places.values()].some(
    (other) => other.length > place.length && isBelow(other, place) && isBelow(path, other),
  )
}

const isBelow = (path: Path, place: Path): boolean =>
  place.length <= path.length && place.every((step, at) => path[at] === step)

function faulty(name: string, of: FaultyStep['of'], problem: Problem | undefined): FaultyStep {
  const at = problem?.path.at(-1)
  return {
    kind: 'faulty',
    name,
    of,
    code: at === 'target' || at === 'resource' ? 'NOT_FOUND' : 'VALIDATION_ERROR',
    message:
      problem === undefined
        ? `'${name}' does not fit the definition in force`
        : `${problem.path.slice(1).join('.')}: ${problem.message}`,
  }
}
