/**
 * The keys in groups of those that need each other, directly or not, in an order in which each group comes after all that
 * it needs (Tarjan's algorithm, without recursion: a chain may be as long as there are keys).
 */
export function components(
  keys: Iterable<string>,
  needs: (key: string) => readonly string[],
): readonly (readonly string[])[] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const groups: string[][] = []
  const enter = (key: string): Visit => {
    index.set(key, index.size)
    low.set(key, index.get(key)!)
    open.push(key)
    isOpen.add(key)
    return { key, left: [...needs(key)] }
  }
  const lower = (key: string, by: number): void => void low.set(key, Math.min(low.get(key)!, by))
  for (const start of keys) {
    if (index.has(start)) continue
    const visits: Visit[] = [enter(start)]
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const next = visit.left.pop()
      if (next !== undefined) {
        if (!index.has(next)) visits.push(enter(next))
        else if (isOpen.has(next)) lower(visit.key, index.get(next)!)
        continue
      }
      visits.pop()
      const above = visits.at(-1)
      if (above) lower(above.key, low.get(visit.key)!)
      if (low.get(visit.key) !== index.get(visit.key)) continue
      const group = open.splice(open.indexOf(visit.key))
      for (const one of group) isOpen.delete(one)
      groups.push(group)
    }
  }
  return groups
}

interface Visit {
  readonly key: string
  readonly left: string[]
}
