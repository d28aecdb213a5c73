import { describe, expect, it } from 'vitest'
import { PACKAGES, resolved, type Source } from './sources.ts'

/**
 * Packages in which types form circles, with the number of knots that these make: files that all lead to each other. What
 * they speak of is made of itself, or is still to be taken apart.
 */
const KNOTS: Readonly<Record<string, number>> = {
  'plugins/domain': 1,
  'plugins/expression': 1,
  'plugins/store': 1,
}

type Graph = ReadonlyMap<string, readonly string[]>

describe.each(PACKAGES.map((one) => [one.folder, one] as const))('%s', (folder, { sources }) => {
  const shipped = sources.filter(({ isTest }) => !isTest)

  it('has no circle of imports', () => {
    expect(circles(graphOf(shipped, { withTypes: false }))).toEqual([])
  })

  it('has no circle of imports between its folders', () => {
    expect(circles(folderGraphOf(shipped))).toEqual([])
  })

  it('has no circle of types, or says how many knots they make', () => {
    expect(knots(graphOf(shipped, { withTypes: true }))).toHaveLength(KNOTS[folder] ?? 0)
  })
})

function graphOf(sources: readonly Source[], { withTypes }: { readonly withTypes: boolean }): Graph {
  return new Map(
    sources.map((source) => [
      source.path,
      source.imports
        .filter(({ specifier, typeOnly }) => specifier.startsWith('.') && (withTypes || !typeOnly))
        .map((found) => resolved(source, found)),
    ]),
  )
}

/** The folders at the top of a package: a file in one of their own folders belongs to them, one beside them to nobody. */
function folderGraphOf(sources: readonly Source[]): Graph {
  const graph = new Map<string, string[]>()
  for (const [file, targets] of graphOf(sources, { withTypes: false })) {
    const from = folderOf(file)
    const to = targets.map(folderOf).filter((folder) => folder !== undefined && folder !== from)
    if (from !== undefined) graph.set(from, [...new Set([...(graph.get(from) ?? []), ...to])] as string[])
  }
  return graph
}

const folderOf = (file: string): string | undefined => /^(?:.*?)src\/([^/]+)\//.exec(file)?.[1]

/** One line for each import that closes a circle: the way round, file by file. */
function circles(graph: Graph): readonly string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, way: readonly string[]) => {
    const start = way.indexOf(file)
    if (start >= 0) return void found.push([...way.slice(start), file].join(' -> '))
    if (done.has(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...way, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return found
}

/** The files that lead to each other, knot by knot. */
function knots(graph: Graph): readonly (readonly string[])[] {
  const reach = new Map([...graph.keys()].map((file) => [file, reachOf(file, graph)]))
  const areTied = (one: string, other: string) =>
    reach.get(one)?.has(other) === true && reach.get(other)?.has(one) === true
  const tied = [...graph.keys()].filter((file) => areTied(file, file))
  const firsts = new Set(tied.map((file) => tied.find((other) => areTied(file, other))!))
  return [...firsts].map((first) => tied.filter((file) => areTied(first, file)))
}

/** What a file leads to, by itself and by way of others. */
function reachOf(file: string, graph: Graph): ReadonlySet<string> {
  const found = new Set<string>()
  const left = [...(graph.get(file) ?? [])]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (found.has(next)) continue
    found.add(next)
    left.push(...(graph.get(next) ?? []))
  }
  return found
}
