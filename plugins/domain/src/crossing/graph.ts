import { fieldId } from '../model/formula-reads.ts'
import type { ComputedField } from '../model/field.ts'
import { maxDepthOf } from '../model/override.ts'
import type { Resource } from '../model/resource.ts'
import type { Formula } from './formulas.ts'
import { components } from './components.ts'

/** Fields that are worked out together: one, or several of one resource that read each other in different records. */
export interface Unit {
  readonly resource: Resource
  readonly fields: readonly ComputedField[]
  readonly formulas: readonly Formula[]
  /** Whether formulas of other records read one of the fields. */
  readonly isReadAcross: boolean
  /** How many computed fields the longest chain has that ends here. */
  readonly depth: number
}

/** What the formulas of a domain read of each other, by field. */
export interface Graph {
  /** In an order in which each comes after those that it reads. */
  readonly units: readonly Unit[]
  /** Fields in a circle that goes through other records; each is read by the one before it. */
  readonly circles: readonly (readonly string[])[]
  unitOf(resource: string, field: string): Unit | undefined
  /** Whether some formula looks into records of a resource. */
  isRead(resource: string): boolean
  /**
   * The resources that are looked into and that a resource is connected with, itself among them: by formulas of the one that look
   * into the other, whichever way and over however many. No write of one is felt outside of these.
   */
  readNear(resource: string): ReadonlySet<string>
  /** The units that read a unit, at any distance, and itself. */
  readersOf(unit: Unit): ReadonlySet<Unit>
}

interface Node {
  readonly id: string
  readonly resource: Resource
  readonly field: ComputedField
  readonly formulas: Formula[]
  /** What it reads: whether that goes through another record. */
  readonly reads: Map<string, boolean>
}

/** Orders formulas by what they read, in their record and in others. */
export function graphOf(formulas: readonly Formula[]): Graph {
  const nodes = nodesOf(formulas)
  const groups = components(nodes.keys(), (id) =>
    [...nodes.get(id)!.reads.keys()].filter((one) => nodes.has(one)),
  )
  const groupOf = new Map(groups.flatMap((group) => group.map((id) => [id, group] as const)))
  const across = new Set(
    [...nodes.values()].flatMap(({ reads }) =>
      [...reads].filter(([, isAcross]) => isAcross).map(([id]) => id),
    ),
  )
  const targets = new Set(
    formulas.flatMap(({ expression }) => expression.crossings.map((one) => one.resource)),
  )
  const near = readNearEach(formulas)
  const units = new Map<readonly string[], Unit>()
  for (const group of groups) {
    const before = new Set(
      group.flatMap((id) => [...nodes.get(id)!.reads.keys()]).filter((id) => groupOf.get(id) !== group),
    )
    const depths = [...before].map((id) => units.get(groupOf.get(id) ?? [])?.depth ?? 0)
    const all = group.map((id) => nodes.get(id)!)
    units.set(group, {
      resource: all[0]!.resource,
      fields: all.map(({ field }) => field),
      formulas: all.flatMap((one) => one.formulas),
      isReadAcross: group.some((id) => across.has(id)),
      depth: group.length + Math.max(0, ...depths),
    })
  }
  const unitAt = (id: string): Unit | undefined => units.get(groupOf.get(id) ?? [])
  return {
    units: [...units.values()],
    circles: circlesIn(nodes, groupOf),
    isRead: (resource) => targets.has(resource),
    readNear: (resource) => near.get(resource) ?? NONE,
    unitOf: (resource, field) => unitAt(fieldId(resource, field)),
    readersOf(unit) {
      const found = new Set([unit])
      for (const one of units.values()) {
        const reads = one.fields.flatMap(({ name }) => [
          ...nodes.get(fieldId(one.resource.name, name))!.reads.keys(),
        ])
        if (reads.some((id) => found.has(unitAt(id)!))) found.add(one)
      }
      return found
    },
  }
}

const NONE: ReadonlySet<string> = new Set()

/** What is looked into near each resource that looks or is looked into: of connected ones the same set. */
function readNearEach(formulas: readonly Formula[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Near>()
  const at = (name: string): Near => {
    const known = found.get(name) ?? { members: new Set([name]), read: new Set<string>() }
    found.set(name, known)
    return known
  }
  for (const { resource, expression } of formulas)
    for (const { resource: target } of expression.crossings) {
      const [into, other] = [at(resource.name), at(target)]
      into.read.add(target)
      if (into === other) continue
      for (const name of other.read) into.read.add(name)
      for (const name of other.members) {
        into.members.add(name)
        found.set(name, into)
      }
    }
  return new Map([...found].map(([name, { read }]) => [name, read]))
}

interface Near {
  readonly members: Set<string>
  readonly read: Set<string>
}

function nodesOf(formulas: readonly Formula[]): ReadonlyMap<string, Node> {
  const nodes = new Map<string, Node>()
  for (const formula of formulas) {
    const { resource, field, reads, expression } = formula
    const id = fieldId(resource.name, field.name)
    const node = nodes.get(id) ?? { id, resource, field, formulas: [], reads: new Map<string, boolean>() }
    nodes.set(id, node)
    node.formulas.push(formula)
    for (const name of reads) {
      const read = fieldId(resource.name, name)
      node.reads.set(read, node.reads.get(read) ?? false)
    }
    for (const { resource: other, reads: names } of expression.crossings)
      for (const name of names) node.reads.set(fieldId(other, name), true)
  }
  return nodes
}

/** Of fields that read each other by way of other records one circle each; within a record the record's own formulas count. */
function circlesIn(
  nodes: ReadonlyMap<string, Node>,
  groupOf: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const found = new Map<readonly string[], readonly string[]>()
  for (const { id, reads } of nodes.values())
    for (const [read, isAcross] of reads) {
      const group = groupOf.get(id)!
      if (isAcross && groupOf.get(read) === group && !found.has(group))
        found.set(group, [id, ...wayBack(read, id, group, nodes)])
    }
  return [...found.values()]
}

/** The shortest way by which one field reads another, both ends included unless they are the same. */
function wayBack(
  from: string,
  to: string,
  within: readonly string[],
  nodes: ReadonlyMap<string, Node>,
): readonly string[] {
  if (from === to) return []
  const cameFrom = new Map<string, string>()
  const queue = [from]
  for (const id of queue)
    for (const next of nodes.get(id)!.reads.keys()) {
      if (!within.includes(next) || cameFrom.has(next) || next === from) continue
      cameFrom.set(next, id)
      queue.push(next)
    }
  const way: string[] = []
  for (let at = cameFrom.get(to); at !== undefined; at = cameFrom.get(at)) way.unshift(at)
  return way
}

/** The first unit whose chain is longer than its resource lets it be. */
export const tooDeep = (units: Iterable<Unit>): Unit | undefined =>
  [...units].find(({ depth, resource }) => depth > maxDepthOf(resource.definition))
