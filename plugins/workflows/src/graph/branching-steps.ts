import { MAX_BRANCHES } from '../definition/step.ts'
import { branchesOf } from './edges.ts'
import { nextFrom, type StepPlace } from './place.ts'
import { speechOf, VARIABLES } from './speech.ts'
import type { ForEachStep, ParallelStep } from './step.ts'

/** Compiles a step that runs branches side by side; undefined where something is wrong with it, which is reported. */
export function parallelStep(place: StepPlace): Omit<ParallelStep, 'reads' | 'shapes'> | undefined {
  const { draft, path, scope, site } = place
  const { written, name } = draft
  const branches = branchesOf(draft).map(({ to }) => to)
  const at = [...path, 'parallel', 'steps']
  if (branches.length === 0) site.problem(at, 'is empty', 'Name a step, or write one')
  if (branches.length > MAX_BRANCHES) site.problem(at, `has more than ${MAX_BRANCHES} branches`)
  return {
    kind: 'parallel',
    name,
    next: nextFrom(place, written.then),
    resource: scope.resource,
    isItem: scope.isItem,
    expressions: [],
    mode: written.parallel?.mode ?? 'all',
    branches,
  }
}

/** Compiles a step that goes through a list; undefined where something is wrong with it, which is reported. */
export function forEachStep(place: StepPlace): Omit<ForEachStep, 'reads' | 'shapes'> | undefined {
  const { draft, path, scope, site } = place
  const { written, name } = draft
  const { forEach } = written
  const [branch] = branchesOf(draft)
  if (forEach === undefined || branch === undefined) return undefined
  const { as = 'item' } = forEach
  checkItemName(as, place)
  const collection = collectionOf(forEach.collection, place)
  if (collection === undefined) return undefined
  const { resource, isItem } = scope
  const expressions =
    collection.of === 'list' ? [collection.list] : collection.filter ? [collection.filter] : []
  const next = nextFrom(place, written.then)
  return { kind: 'forEach', name, next, resource, isItem, expressions, collection, as, branch: branch.to }

  function collectionOf(
    from: NonNullable<typeof forEach>['collection'],
    { scope: around }: StepPlace,
  ): ForEachStep['collection'] | undefined {
    const at = [...path, 'forEach', 'collection']
    if (typeof from === 'string') {
      const list = site.expression(from, at, { ...speechOf(around), kind: 'list' })
      return list && { of: 'list', list }
    }
    const found = site.model.resources.get(from.resource)
    if (found === undefined) {
      site.problem([...at, 'resource'], `there is no resource '${from.resource}'`)
      return undefined
    }
    if (from.filter === undefined) return { of: 'records', resource: found, filter: undefined }
    const speech = { resource: found, moment: 'read' as const, variables: around.variables }
    const filter = site.rows(from.filter, [...at, 'filter'], speech)
    return filter && { of: 'records', resource: found, filter }
  }
}

function checkItemName(as: string, { site, path, scope }: StepPlace): void {
  const at = [...path, 'forEach', 'as']
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(as))
    site.problem(at, `'${as}' is no name`, 'Write a letter, then letters, digits and underscores')
  else if (VARIABLES.includes(as))
    site.problem(at, `\`$${as}\` stands for something else`, 'Choose another name')
  else if (as !== 'item' && scope.variables.has(as))
    site.problem(at, `\`$${as}\` is the item of the forEach around it`, 'Choose another name')
}
