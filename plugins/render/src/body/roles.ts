import type { EachPart, IfPart, Part, ValuePart } from '@svc/expression/contract'

/** A block, which opens with the first of its tags and closes with the last. */
export interface Block {
  readonly part: EachPart | IfPart
  /** The numbers of its tags. */
  readonly tags: readonly number[]
}

/** What a tag is. */
export type Role =
  | { readonly kind: 'value'; readonly part: ValuePart }
  | { readonly kind: 'mark'; readonly name: string }
  /** `at` is its place among the tags of its block. */
  | { readonly kind: 'block'; readonly block: Block; readonly at: number }

/** Says of each tag, by its number, what it is. */
export function rolesOf(
  parts: readonly Part[],
  tags: readonly { readonly offset: number }[],
): readonly Role[] {
  const roles: Role[] = []
  const numbers = new Map(tags.map(({ offset }, number) => [offset, number]))
  const look = (some: readonly Part[]): void => {
    for (const part of some) {
      if (part.kind === 'words') continue
      if (part.kind === 'value' || part.kind === 'mark') {
        const { kind } = part
        roles[numbers.get(part.offset)!] = kind === 'value' ? { kind, part } : { kind, name: part.name }
        continue
      }
      const block = { part, tags: part.tags.map((offset) => numbers.get(offset)!) }
      for (const [at, tag] of block.tags.entries()) roles[tag] = { kind: 'block', block, at }
      if (part.kind === 'each') look(part.body)
      else for (const { body } of part.branches) look(body)
      look(part.otherwise)
    }
  }
  look(parts)
  return roles
}
