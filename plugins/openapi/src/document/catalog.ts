import type { Model, Resource } from '@svc/domain/contract'
import { createNames, type ClaimName } from './names.ts'

/** What the components of one resource are called. */
export interface ResourceNames {
  readonly record: string
  readonly input: string
  readonly patch: string
  readonly list: string
  /** What `include` adds to a record. */
  readonly related: string
}

/** A resource in a document. */
export interface Entry {
  readonly model: Model
  readonly resource: Resource
  readonly names: ResourceNames
  readonly tag: string
}

/** The resources of a document. */
export interface Catalog {
  readonly entries: readonly Entry[]
  find(domain: string, resource: string): Entry | undefined
  /** Claims the name of a further schema. */
  readonly claim: ClaimName
}

/** Names the components of all resources; `isQualified` puts the domain before each name. */
export function createCatalog(
  models: readonly Model[],
  { isQualified, taken }: { readonly isQualified: boolean; readonly taken: readonly string[] },
): Catalog {
  const claim = createNames(taken)
  const byName = new Map<string, Entry>()
  const wanted = models.flatMap((model) =>
    [...model.resources.values()].map((resource) => {
      const name = isQualified ? `${model.name}.${resource.name}` : resource.name
      return { model, resource, name, record: claim(name) }
    }),
  )
  // Records come first: a resource called OrderInput keeps its name, and the input of Order gets another.
  for (const { model, resource, name, record } of wanted) {
    const names = {
      record,
      input: claim(`${name}Input`),
      patch: claim(`${name}Patch`),
      list: claim(`${name}List`),
      related: claim(`${name}Related`),
    }
    byName.set(keyOf(model.name, resource.name), { model, resource, names, tag: name })
  }
  return {
    entries: [...byName.values()],
    find: (domain, resource) => byName.get(keyOf(domain, resource)),
    claim,
  }
}

const keyOf = (domain: string, resource: string): string => `${domain}/${resource}`
