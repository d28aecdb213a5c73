import type { ActionPlace, ActionDefinition, CompiledAction } from '@svc/automation/contract'
import type { Expression, Path, Resource, Site } from '@svc/domain/contract'
import type { Branches } from './branches.ts'
import type { Draft } from './drafts.ts'
import type { Scope } from './speech.ts'
import type { Next } from './step.ts'
import { END } from './edges.ts'

/** What compiling takes from elsewhere. */
export interface Compiling {
  readonly site: Site
  /** Compiles an action; undefined where it was reported as wrong. */
  action(written: ActionDefinition, place: ActionPlace): CompiledAction | undefined
  /** The events that the timeline of a resource keeps. */
  history(resource: Resource): Iterable<string>
}

/** A step on its way to be compiled: where it stands, and what it may name. */
export interface StepPlace extends Compiling {
  readonly draft: Draft
  readonly path: Path
  readonly scope: Scope
  readonly branches: Branches
  /** The name of the workflow. */
  readonly workflow: string
}

/** Where a step leads that may say so: the step that it names, the next one, or the end of its branch. */
export function nextFrom(
  { draft, branches }: Pick<StepPlace, 'draft' | 'branches'>,
  written: string | undefined,
): Next {
  if (written === END) return undefined
  return written ?? branches.nextOf(draft.name)
}

/** Compiles an expression of a step; undefined where it was reported as wrong, or nothing is written. */
export function expressionOf(
  source: string | undefined,
  path: Path,
  { site }: Compiling,
  speech: Parameters<Site['expression']>[2],
): Expression | undefined {
  return source === undefined ? undefined : site.expression(source, path, speech)
}
