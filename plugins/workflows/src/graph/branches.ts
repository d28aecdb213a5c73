import { didYouMean } from '@svc/expression/contract'
import { nearest } from '@svc/kernel'
import type { Path, Site } from '@svc/domain/contract'
import type { Draft } from './drafts.ts'
import { branchesOf, type Edge, edgesOf, END, leadsOn } from './edges.ts'

/** A branch: what one line walks through. */
export interface Branch {
  /** The first step, by which it is known. */
  readonly first: string
  /** The step that runs it; undefined of the main line, of the handler and of the timeout. */
  readonly of: Draft | undefined
}

/** Which steps belong to which branch, and where each leads without being told. */
export interface Branches {
  branchOf(step: string): Branch | undefined
  /** The next step of the text, for steps of the main line that say nothing else. */
  nextOf(step: string): string | undefined
}

export interface Shape {
  readonly drafts: ReadonlyMap<string, Draft>
  /** Where the main line begins; undefined: with the first step that is in no branch. */
  readonly start: Edge | undefined
  readonly onError: Edge | undefined
  readonly path: Path
}

/** Finds the branches of a workflow; reports what leads nowhere, into a branch or out of it, and what nothing reaches. */
export function findBranches(
  shape: Shape,
  site: Pick<Site, 'problem' | 'warning'>,
): Branches & { readonly start: string } {
  const { drafts, start, onError, path } = shape
  const owners = new Map<string, Branch>()
  const next = new Map<string, string>()

  const isThere = ({ to, path: at }: Edge): boolean => {
    if (drafts.has(to)) return true
    const hint = didYouMean(nearest(to, drafts.keys()))
    if (to === END) site.problem(at, "'end' is no step", 'Name a step')
    else site.problem(at, `there is no step '${to}'`, hint)
    return false
  }
  const claim = (edge: Edge, branch: Branch): Draft | undefined => {
    const owner = owners.get(edge.to)
    if (owner === branch) return undefined
    if (owner !== undefined) {
      site.problem(
        edge.path,
        `'${edge.to}' belongs to the branch that begins with '${owner.first}'`,
        'A branch is entered by its first step alone, and left by its end',
      )
      return undefined
    }
    owners.set(edge.to, branch)
    return drafts.get(edge.to)
  }
  const walk = (first: Edge, branch: Branch, following: (draft: Draft) => readonly Edge[]): void => {
    const open: Edge[] = [first]
    for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
      const draft = claim(edge, branch)
      if (draft !== undefined)
        open.push(
          ...following(draft)
            .filter((one) => one.to === END || isThere(one))
            .filter(({ to }) => to !== END),
        )
    }
  }

  for (const draft of drafts.values())
    for (const edge of branchesOf(draft)) if (isThere(edge)) enter(edge, draft)
  if (onError !== undefined && isThere(onError)) enter(onError, undefined)
  const timeout = drafts.get('timeout')
  if (timeout !== undefined && !timeout.isListed) enter({ to: 'timeout', path: timeout.path }, undefined)

  function enter(edge: Edge, of: Draft | undefined): void {
    walk(edge, { first: edge.to, of }, edgesOf)
  }

  const listed = [...drafts.values()].filter(({ name, isListed }) => isListed && !owners.has(name))
  listed.forEach(({ name }, at) => {
    const following = listed[at + 1]
    if (following !== undefined) next.set(name, following.name)
  })
  const first = start ?? { to: listed[0]?.name ?? '', path }
  if (start === undefined && listed.length === 0) {
    site.problem([...path, 'steps'], 'has no step to begin with', 'Add one that is in no branch')
  } else if (isThere(first)) {
    const main: Branch = { first: first.to, of: undefined }
    walk(first, main, (draft) => {
      const following = leadsOn(draft) ? next.get(draft.name) : undefined
      return [...edgesOf(draft), ...(following === undefined ? [] : [{ to: following, path: draft.path }])]
    })
  }
  for (const { name, path: at } of drafts.values())
    if (!owners.has(name))
      site.warning(at, `nothing leads to '${name}'`, 'Name it by a `then`, or take it away')
  return {
    start: first.to,
    branchOf: (step) => owners.get(step),
    nextOf: (step) => next.get(step),
  }
}
