import { checkAutomationName, TAKEN_BY_STEPS } from '@svc/automation/contract'
import type { Path, Site } from '@svc/domain/contract'
import type { StepDefinition } from '../definition/step.ts'
import type { WorkflowDefinition } from '../definition/workflow.ts'
import { STEP_KINDS, type StepKind } from './step.ts'

/** A step that is read and not compiled: wherever it is written, it has a name. */
export interface Draft {
  readonly name: string
  readonly path: Path
  readonly kind: StepKind
  readonly written: StepDefinition
  /** Whether it stands among the steps of the text, so that the one before it leads on to it. */
  readonly isListed: boolean
}

/** Gathers the steps of a workflow, those written in place among them, in the order of the text. */
export function gatherSteps(
  { steps, onError, timeout }: WorkflowDefinition,
  path: Path,
  site: Pick<Site, 'problem'>,
): ReadonlyMap<string, Draft> {
  const drafts = new Map<string, Draft>()
  const add = (name: string, written: StepDefinition, at: Path, isListed: boolean): void => {
    if (drafts.has(name) || (isListed && RESERVED.has(name)))
      site.problem(at, `'${name}' is the name of another step`, 'Names of steps are unique in a workflow')
    const kind = kindOf(written, at, site)
    if (kind === undefined || drafts.has(name)) return
    drafts.set(name, { name, path: at, kind, written, isListed })
    const { parallel, forEach } = written
    if (forEach !== undefined && typeof forEach.step !== 'string')
      add(`${name}.step`, forEach.step, [...at, 'forEach', 'step'], false)
    if (parallel === undefined || Array.isArray(parallel.steps)) return
    for (const [branch, inside] of Object.entries(parallel.steps)) {
      const place = [...at, 'parallel', 'steps', branch]
      if (checkAutomationName(branch, place, site, 'a step', TAKEN_BY_STEPS))
        add(branch, inside, place, false)
    }
  }
  for (const [name, written] of Object.entries(steps)) {
    const at = [...path, 'steps', name]
    if (checkAutomationName(name, at, site, 'a step', TAKEN_BY_STEPS)) add(name, written, at, true)
  }
  if (onError !== undefined && typeof onError !== 'string')
    add('onError', onError, [...path, 'onError'], false)
  if (timeout !== undefined) {
    const { duration: _, ...action } = timeout
    add('timeout', action, [...path, 'timeout'], false)
  }
  return drafts
}

/** What steps written in place are called. */
const RESERVED: ReadonlySet<string> = new Set(['onError', 'timeout'])

function kindOf(written: StepDefinition, path: Path, site: Pick<Site, 'problem'>): StepKind | undefined {
  const kinds = STEP_KINDS.filter((kind) => written[kind] !== undefined)
  const [kind, ...others] = kinds
  if (kind !== undefined && others.length === 0) {
    assertKeys(written, kind, path, site)
    return kind
  }
  const hint = `A step holds one of ${STEP_KINDS.join(', ')}`
  site.problem(path, kind === undefined ? 'does nothing' : `holds ${kinds.join(' and ')}`, hint)
  return undefined
}

const OF_ACTIONS = ['target', 'input', 'transition', 'recordId', 'notification'] as const
const OF_WAITS = ['condition', 'else'] as const

/** Reports keys that mean nothing beside the kind of the step. */
function assertKeys(written: StepDefinition, kind: StepKind, path: Path, site: Pick<Site, 'problem'>): void {
  const idle = (keys: readonly (keyof StepDefinition)[], of: string) => {
    for (const key of keys)
      if (written[key] !== undefined) site.problem([...path, key], `means nothing without '${of}'`)
  }
  if (kind !== 'action') idle(OF_ACTIONS, 'action')
  if (kind !== 'wait') idle(OF_WAITS, 'wait')
  if (kind === 'decide' && written.then !== undefined)
    site.problem([...path, 'then'], "means nothing beside 'decide', whose branches say where they lead")
}
