import type { Model, Resource } from '@svc/domain/contract'

/** The longest chain of computed fields that read each other, across records too, by their names, the reader first. */
export function depthOf(resource: Resource, { resources }: Model): readonly string[] {
  const known = new Map<Resource, Map<string, readonly string[]>>()
  const chainOf = (name: string, of: Resource): readonly string[] => {
    const own = known.get(of) ?? new Map<string, readonly string[]>()
    known.set(of, own)
    const found = own.get(name)
    if (found) return found
    const { computed } = of.fields.get(name) ?? {}
    if (computed === undefined) return []
    const shown = of === resource ? name : `${of.name}.${name}`
    own.set(name, [shown]) // A circle is refused elsewhere.
    const across = computed.crossings.flatMap(({ resource: other, reads }) => {
      const target = resources.get(other)
      return target === undefined ? [] : [...reads].map((one) => chainOf(one, target))
    })
    const chain = [shown, ...longest([...[...computed.declared].map((one) => chainOf(one, of)), ...across])]
    own.set(name, chain)
    return chain
  }
  return longest([...resource.fields.keys()].map((name) => chainOf(name, resource)))
}

const longest = (chains: readonly (readonly string[])[]): readonly string[] =>
  chains.reduce((one, other) => (other.length > one.length ? other : one), [])
