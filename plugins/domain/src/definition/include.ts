import { entriesOf, type Entry, isList, isMap, mapOf, type MapNode, positionOf } from './document.ts'
import type { Findings } from './findings.ts'
import { FileFault, type Folder } from './folder.ts'
import { quoted } from './names.ts'
import { DefinitionError, type Path } from './problem.ts'
import type { Document } from './read.ts'

/**
 * Expands `$include`, which stands at the top of a file or under `domain`. What the files hold stands under
 * `domain`. Maps are merged key by key; where two files say different things under one key, the later one
 * counts, and what a file says itself counts over what it includes, as it does beside `$ref` and `$merge`.
 * A submitted text has no folder. Throws DefinitionError where a file cannot be read.
 */
export async function expandIncludes(
  root: Document,
  folder: Folder | undefined,
  findings: Findings,
): Promise<MapNode> {
  const includes = new Includes(folder, findings)
  const expanded = await includes.expandRoot(root)
  if (includes.failed) throw findings.error()
  return expanded
}

const DIRECTIVE = '$include'
const EMPTY = mapOf([])

class Includes {
  /** Whether a file is missing: all that refers to its content would be reported as well. */
  failed = false
  readonly #folder: Folder | undefined
  readonly #findings: Findings
  readonly #expanded = new Map<Document, MapNode>()
  /** The files that are being expanded, each included by the one before. */
  readonly #chain: Document[] = []

  constructor(folder: Folder | undefined, findings: Findings) {
    this.#folder = folder
    this.#findings = findings
  }

  async expandRoot(document: Document): Promise<MapNode> {
    this.#chain.push(document)
    const { root } = document
    const included = await this.#included(document, root, [])
    const domain = root['domain']
    if (!isMap(domain)) return without(root, DIRECTIVE)
    const merged = merge(
      merge(included, await this.#included(document, domain, ['domain'])),
      without(domain, DIRECTIVE),
    )
    return mapOf(
      entriesOf(without(root, DIRECTIVE)).map(([key, value, place]) =>
        key === 'domain' ? [key, merged, place] : [key, value, place],
      ),
    )
  }

  /** What the files bring that `holder` includes; `path` leads to it from the top of its file. */
  async #included(document: Document, holder: MapNode, path: Path): Promise<MapNode> {
    const patterns = holder[DIRECTIVE]
    const at = [...path, DIRECTIVE]
    if (patterns === undefined) return EMPTY
    if (!this.#folder)
      return this.#refuse(document, at, 'A submitted text has no folder to include files from')
    if (!isList(patterns)) return this.#refuse(document, at, 'must be a list of paths', "Write ['a.yaml']")
    let merged = EMPTY
    for (const [index, pattern] of patterns.entries()) {
      const here = [...at, index]
      if (typeof pattern !== 'string' || pattern === '')
        this.#refuse(document, here, 'must be the path of a file')
      else merged = merge(merged, await this.#matched(document, here, pattern, this.#folder))
    }
    return merged
  }

  async #matched(document: Document, path: Path, pattern: string, folder: Folder): Promise<MapNode> {
    try {
      const files = await folder.match(pattern, document.source)
      if (files.length === 0)
        this.#findings.warn(path, `${quoted(pattern)} matches no file`, positionOf(document.root, path))
      let merged = EMPTY
      for (const file of files) {
        merged = merge(merged, await this.#expand(await folder.read(file, this.#findings), document, path))
      }
      return merged
    } catch (error) {
      this.failed = true
      if (error instanceof FileFault) return this.#refuse(document, path, error.message)
      if (!(error instanceof DefinitionError)) throw error
      // What is wrong in the file is among the findings already.
      return EMPTY
    }
  }

  /** The content of an included file; `by` includes it at `path`. */
  async #expand(document: Document, by: Document, path: Path): Promise<MapNode> {
    const known = this.#expanded.get(document)
    if (known) return known
    const start = this.#chain.indexOf(document)
    if (start >= 0) {
      const chain = [...this.#chain.slice(start), document].map(({ source }) => source.file)
      return this.#refuse(by, path, `The files include each other: ${chain.join(' -> ')}`)
    }
    if (Object.hasOwn(document.root, 'domain'))
      this.#refuse(document, ['domain'], "An included file has no key 'domain'", 'Write what stands under it')
    this.#chain.push(document)
    const included = await this.#included(document, document.root, [])
    this.#chain.pop()
    const expanded = merge(included, without(document.root, DIRECTIVE, 'domain'))
    this.#expanded.set(document, expanded)
    return expanded
  }

  #refuse({ root }: Document, path: Path, message: string, hint?: string): MapNode {
    this.#findings.add(path, message, positionOf(root, path), hint)
    return EMPTY
  }
}

const without = (map: MapNode, ...keys: readonly string[]): MapNode =>
  mapOf(entriesOf(map).filter(([key]) => !keys.includes(key)))

/** `later` counts where the two differ. A map with a `$ref` is one value: its keys belong to the reference. */
function merge(earlier: MapNode, later: MapNode): MapNode {
  return mapOf([
    ...entriesOf(earlier),
    ...entriesOf(later).map(([key, value, place]): Entry => {
      const before = Object.hasOwn(earlier, key) ? earlier[key] : undefined
      const both = isMap(before) && isMap(value) && !hasReference(before) && !hasReference(value)
      return [key, both ? merge(before, value) : value, place]
    }),
  ])
}

const hasReference = (map: MapNode): boolean => Object.hasOwn(map, '$ref')
