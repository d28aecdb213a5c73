import type { Reader } from '@svc/store/contract'
import { isReactive } from '../model/override.ts'
import type { Resource } from '../model/resource.ts'
import { declaredFormulas, type Formula, ownFormulas } from './formulas.ts'
import { type Graph, graphOf } from './graph.ts'

/** What the formulas of a model that look into other records have to do with the writes of its resources. */
export interface CrossPlan {
  readonly resources: ReadonlyMap<string, Resource>
  /** Whether formulas of other records, or of others of the same resource, may have to be worked out after a write. */
  spreads(resource: Resource): boolean
  /** Whether declared formulas are among those. */
  isRead(resource: Resource): boolean
  /** Whether formulas that records have may be among those, of every resource. */
  readonly isOpen: boolean
  /** Whether formulas of the resource may look into other records. */
  looks(resource: Resource): boolean
  /** What declared formulas read of each other. */
  readonly declared: Graph
  /** What formulas read of each other now, those of records among them, `more` too. */
  graph(reader: Reader, more?: readonly Formula[]): Promise<Graph>
}

/** The plan of a model; undefined where no formula may look into other records, and nothing is to be done. */
export function crossPlan(resources: ReadonlyMap<string, Resource>): CrossPlan | undefined {
  const all = [...resources.values()]
  const looking = new Set(all.filter(({ others }) => others !== undefined))
  if (looking.size === 0) return undefined
  const declared = all.flatMap(declaredFormulas)
  const overriding = all.filter(({ overrides }) => overrides.length > 0)
  const isOpen = overriding.some((one) => looking.has(one) && isReactive(one.definition))
  const read = new Set(
    declared
      .filter((one) => isReactive(one.resource.definition))
      .flatMap(({ expression }) => expression.crossings.map((one) => one.resource)),
  )
  const plain = graphOf(declared)
  let last: { readonly of: string; readonly graph: Graph } | undefined
  return {
    resources,
    looks: (resource) => looking.has(resource),
    isOpen,
    isRead: ({ name }) => read.has(name),
    declared: plain,
    spreads: ({ name }) => isOpen || read.has(name),
    async graph(reader, more = []) {
      const standing = await Promise.all(overriding.map((one) => ownFormulas(one, reader)))
      const own = [...more, ...standing.flat()]
      if (own.length === 0) return plain
      const of = JSON.stringify(
        own.map(({ resource, field, own: text }) => [resource.name, field.name, text]),
      )
      if (last?.of !== of) last = { of, graph: graphOf([...declared, ...own]) }
      return last.graph
    },
  }
}
