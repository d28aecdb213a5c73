import type { Path, Site } from '@svc/domain/contract'
import type { Branches } from './branches.ts'
import type { Draft } from './drafts.ts'
import { branchesOf, type Edge, edgesOf, leadsOn } from './edges.ts'

/** Reports circles of steps in which nothing waits: an instance would run round them until its limit. */
export function findCycles(
  drafts: ReadonlyMap<string, Draft>,
  branches: Branches,
  site: Pick<Site, 'problem'>,
): void {
  const ways = waysOf(drafts, branches)
  // Steps that nothing leads to, and those that lead nowhere, are in no circle: taken away, they leave others so.
  for (const peel of [forwards, backwards]) peel(ways)
  const [circle] = ways
  if (circle === undefined) return
  const [, edges] = circle
  const { to, path } = edges[0]!
  site.problem(
    path,
    `leads round to '${to}' and back, and waits nowhere on the way`,
    'Put a wait into the circle',
  )
}

type Ways = Map<string, readonly Edge[]>

/** The ways between steps that do not wait. */
function waysOf(drafts: ReadonlyMap<string, Draft>, branches: Branches): Ways {
  const waitingBranches = new Set(
    [...drafts.values()].flatMap(({ name, kind }) =>
      kind === 'wait' ? (branches.branchOf(name)?.first ?? []) : [],
    ),
  )
  const waits = (draft: Draft) =>
    draft.kind === 'wait' || branchesOf(draft).some(({ to }) => waitingBranches.has(to))
  const restless = new Map([...drafts].filter(([, draft]) => !waits(draft)))
  const following = (draft: Draft, path: Path): readonly Edge[] => {
    const next = leadsOn(draft) ? branches.nextOf(draft.name) : undefined
    return next === undefined ? [] : [{ to: next, path }]
  }
  return new Map(
    [...restless].map(([name, draft]) => [
      name,
      [...edgesOf(draft), ...following(draft, draft.path)].filter(({ to }) => restless.has(to)),
    ]),
  )
}

/** Takes steps away that nothing leads to. */
function forwards(ways: Ways): void {
  const coming = new Map<string, number>([...ways.keys()].map((name) => [name, 0]))
  for (const edges of ways.values()) for (const { to } of edges) coming.set(to, (coming.get(to) ?? 0) + 1)
  const free = [...coming].flatMap(([name, count]) => (count === 0 ? [name] : []))
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    for (const { to } of ways.get(name) ?? []) {
      const left = (coming.get(to) ?? 0) - 1
      coming.set(to, left)
      if (left === 0) free.push(to)
    }
    ways.delete(name)
  }
}

/** Takes steps away that lead nowhere, and the ways to them. */
function backwards(ways: Ways): void {
  const before = new Map<string, string[]>()
  const leaving = new Map<string, number>()
  for (const [name, edges] of ways) {
    leaving.set(name, edges.length)
    for (const { to } of edges) before.set(to, [...(before.get(to) ?? []), name])
  }
  const ends = [...leaving].flatMap(([name, count]) => (count === 0 ? [name] : []))
  for (let name = ends.pop(); name !== undefined; name = ends.pop()) {
    ways.delete(name)
    for (const earlier of before.get(name) ?? []) {
      const left = (leaving.get(earlier) ?? 0) - 1
      leaving.set(earlier, left)
      if (left === 0) ends.push(earlier)
    }
  }
  for (const [name, edges] of ways)
    ways.set(
      name,
      edges.filter(({ to }) => ways.has(to)),
    )
}
