import type { Resource } from '@svc/domain/contract'

/** The longest chain of computed fields that read each other, by their names, the reader first. */
export function depthOf({ fields }: Resource): readonly string[] {
  const known = new Map<string, readonly string[]>()
  const chainOf = (name: string): readonly string[] => {
    const found = known.get(name)
    if (found) return found
    const { computed } = fields.get(name) ?? {}
    if (computed === undefined) return []
    known.set(name, [name]) // A circle is refused elsewhere.
    const chain = [name, ...longest([...computed.declared].map(chainOf))]
    known.set(name, chain)
    return chain
  }
  return longest([...fields.keys()].map(chainOf))
}

const longest = (chains: readonly (readonly string[])[]): readonly string[] =>
  chains.reduce((one, other) => (other.length > one.length ? other : one), [])
