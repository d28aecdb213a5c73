import type { Block, Role } from './roles.ts'
import type { BodyNode } from './template.ts'

/** What stands one after the other in one place: nodes, and tags between them. */
export type Strand = BodyNode | { readonly kind: 'tag'; readonly tag: number }

/** Where tags stand, and what is wrong with that. */
export interface Loom {
  readonly roles: readonly Role[]
  /** Whether a block may stand over these tags here. */
  isTogether(tags: readonly number[]): boolean
  /** Tells of a tag that stands where its block does not reach; of a block once. */
  stray(tag: number, block: Block): void
}

/** Takes each block with what it stands around: all of its tags have to stand in this place. */
export function weave(strands: readonly Strand[], loom: Loom): readonly BodyNode[] {
  let at = 0
  /** Nodes up to the tag of `block` that is `next`, which is taken; undefined where it does not come. */
  const take = (block?: Block, next?: number): { nodes: BodyNode[]; isClosed: boolean } => {
    const nodes: BodyNode[] = []
    for (; at < strands.length;) {
      const strand = strands[at++]!
      if (strand.kind !== 'tag') {
        nodes.push(strand)
        continue
      }
      const role = loom.roles[strand.tag]
      if (role === undefined) continue
      if (role.kind !== 'block') nodes.push(role)
      else if (role.at === 0) nodes.push(...opened(role.block))
      else if (role.block === block && role.at === next) return { nodes, isClosed: true }
      else loom.stray(strand.tag, role.block)
    }
    return { nodes, isClosed: false }
  }
  const opened = (block: Block): readonly BodyNode[] => {
    const bodies: (readonly BodyNode[])[] = []
    for (let next = 1; next < block.tags.length; next++) {
      const { nodes, isClosed } = take(block, next)
      if (!isClosed) {
        loom.stray(block.tags[0]!, block)
        return []
      }
      bodies.push(nodes)
    }
    if (!loom.isTogether(block.tags)) loom.stray(block.tags[0]!, block)
    return [nodeOf(block, bodies)]
  }
  return take().nodes
}

function nodeOf({ part }: Block, bodies: readonly (readonly BodyNode[])[]): BodyNode {
  if (part.kind === 'each') return { kind: 'each', part, body: bodies[0] ?? [], otherwise: bodies[1] ?? [] }
  const { length } = part.branches
  return { kind: 'if', part, bodies: bodies.slice(0, length), otherwise: bodies[length] ?? [] }
}
