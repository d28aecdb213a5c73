import type { MarkdownNode, MarkdownOf } from '../trees.ts'
import type { Marked, TagLine } from './marked.ts'
import type { Block, Role } from './roles.ts'

/** What may hold tags between its children. */
export type Container = MarkdownOf<'root' | 'blockquote' | 'list' | 'listItem' | 'table'>

/** A place between the children of a container, by the number of those before it. */
export interface Place {
  readonly container: Container
  readonly index: number
}

/** Tags by the container in which they stand, and how many of its children stand before them; in the order of the text. */
export type Placed = ReadonlyMap<MarkdownNode, ReadonlyMap<number, readonly number[]>>

/** What stands lower than others where all of a block's tags fit in more than one place. */
const REPEATED: ReadonlySet<string> = new Set(['list', 'table'])

/**
 * Finds where the tags belong that stood on lines of their own. Between two items a line may mean their list, or the end of
 * the one, or what the list stands in: the block is around list items or table rows where its tags fit there, else as far
 * out as they fit. `stray` is told of tags that stand inside of something, and of blocks whose tags have no place in common.
 */
export function placeTagLines(
  root: MarkdownOf<'root'>,
  { tagLines }: Marked,
  roles: readonly Role[],
  stray: (tag: number, block: Block | undefined) => void,
): Placed {
  const placed = new Map<MarkdownNode, Map<number, number[]>>()
  const places = new Map<number, readonly Place[]>()
  for (const line of tagLines) {
    const found = placesOf(root, line)
    for (const tag of line.tags) places.set(tag, found)
  }
  for (const tag of places.keys()) {
    const role = roles[tag]
    const own = places.get(tag)!
    const block = role?.kind === 'block' ? role.block : undefined
    const [place] = own.length === 0 ? [] : block === undefined ? own : common(block, places, tag)
    if (place === undefined) {
      stray(tag, block)
      continue
    }
    const others = placed.get(place.container) ?? new Map<number, number[]>()
    placed.set(place.container, others.set(place.index, [...(others.get(place.index) ?? []), tag]))
  }
  return placed
}

/** The places of a tag where the other tags of its block stand too, the best one first. */
function common(block: Block, places: ReadonlyMap<number, readonly Place[]>, tag: number): readonly Place[] {
  const shared = (places.get(tag) ?? []).filter(({ container }) =>
    block.tags.every((one) => places.get(one)?.some((place) => place.container === container)),
  )
  const repeated = shared.find(({ container }) => REPEATED.has(container.type))
  return repeated === undefined ? shared : [repeated]
}

/** The places that a line may mean, from the outermost on; none where it stands inside of a paragraph or the like. */
function placesOf(root: MarkdownOf<'root'>, { before, quotes }: TagLine): readonly Place[] {
  let container: Container = root
  let depth = 0
  for (;;) {
    const children: readonly MarkdownNode[] = container.children
    const around: MarkdownNode | undefined = children.find((child) => {
      const within: boolean = startOf(child) < before && before < endOf(child)
      return (
        within ||
        (child.type === 'blockquote' && depth < quotes && startOf(child) < before && before <= endOf(child))
      )
    })
    if (around === undefined) {
      const index = children.filter((child) => endOf(child) <= before).length
      return [{ container, index }, ...endsOf(children[index - 1]), ...startsOf(children[index])]
    }
    if (!isContainer(around)) return []
    if (around.type === 'blockquote') depth += 1
    container = around
  }
}

const isContainer = (node: MarkdownNode): node is Container =>
  node.type === 'blockquote' || node.type === 'list' || node.type === 'listItem' || node.type === 'table'

/** The places at the end of a node, and of what it ends with. */
function endsOf(node: MarkdownNode | undefined): readonly Place[] {
  if (node === undefined || !isContainer(node) || node.type === 'blockquote') return []
  return [{ container: node, index: node.children.length }, ...endsOf(node.children.at(-1))]
}

/** The places at the beginning of a node, and of what it begins with; the header of a table begins it. */
function startsOf(node: MarkdownNode | undefined): readonly Place[] {
  if (node === undefined || (node.type !== 'list' && node.type !== 'listItem')) return []
  return [{ container: node, index: 0 }, ...startsOf(node.children[0])]
}

const startOf = (node: MarkdownNode): number => node.position?.start.offset ?? 0
const endOf = (node: MarkdownNode): number => node.position?.end.offset ?? 0
