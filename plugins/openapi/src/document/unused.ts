const COMPONENT = /^#\/components\/([^/]+)\/(.+)$/

interface WithComponents {
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** A document without the components that nothing refers to. */
export function withoutUnused<T extends WithComponents>(document: T): T {
  const { components, ...rest } = document
  const used = new Set<string>()
  const waiting: unknown[] = [rest]
  // A component may refer to others: each is looked through once, when something refers to it.
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    for (const reference of referencesIn(part)) {
      if (used.has(reference)) continue
      used.add(reference)
      const [, kind = '', name = ''] = COMPONENT.exec(reference) ?? []
      const component = components[kind]?.[name]
      if (component !== undefined) waiting.push(component)
    }
  }
  const kept = Object.entries(components).map(([kind, all]) => [
    kind,
    kind === SCHEMES ? all : usedOf(kind, all, used),
  ])
  return { ...document, components: Object.fromEntries(kept) }
}

/** Named by requirements, not by references. */
const SCHEMES = 'securitySchemes'

const usedOf = (kind: string, all: Readonly<Record<string, unknown>>, used: ReadonlySet<string>): object =>
  Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`#/components/${kind}/${name}`)))

/** Everything that a part of a document refers to. */
export function referencesIn(part: unknown, found: string[] = []): readonly string[] {
  if (Array.isArray(part)) for (const one of part) referencesIn(one, found)
  else if (typeof part === 'object' && part !== null)
    for (const [key, value] of Object.entries(part))
      if (key === '$ref' && typeof value === 'string') found.push(value)
      else referencesIn(value, found)
  return found
}
