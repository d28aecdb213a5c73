import { StartupError } from '@svc/kernel'
import type { Block } from '../contract/block.ts'

/**
 * Blocks in the order in which they are compiled and run: as they were added, those without a schema behind, those that say
 * so last, each after those that it names. A key that nobody owns, and a circle, end the start.
 */
export function inOrder(blocks: readonly Block[]): readonly Block[] {
  const ordered = new Set<Block>()
  const visit = (block: Block, way: readonly Block[]): void => {
    if (ordered.has(block)) return
    if (way.includes(block)) throw circle([...way.slice(way.indexOf(block)), block])
    for (const before of precedingOf(block, blocks)) visit(before, [...way, block])
    ordered.add(block)
  }
  for (const block of blocks) if (block.schema !== undefined && !block.isLast) visit(block, [])
  for (const block of blocks) if (!block.isLast) visit(block, [])
  for (const block of blocks) visit(block, [])
  return [...ordered]
}

/** The keys that a block comes after. */
export const earlierKeys = ({ after = [], afterIfLoaded = [] }: Block): readonly string[] => [
  ...after,
  ...afterIfLoaded,
]

/** A plugin may own one key in two places: the one that names it means the other. */
function precedingOf(block: Block, blocks: readonly Block[]): readonly Block[] {
  const others = blocks.filter((one) => one !== block)
  const missing = block.after?.find((key) => !others.some((one) => one.key === key))
  if (missing !== undefined) throw unowned(block.key, missing)
  return earlierKeys(block).flatMap((key) => others.filter((one) => one.key === key))
}

const unowned = (key: string, missing: string) =>
  new StartupError(
    'domain',
    `the key '${key}' comes after '${missing}', which no plugin owns`,
    `Load the plugin that owns '${missing}'`,
  )

const circle = (way: readonly Block[]) =>
  new StartupError(
    'domain',
    `keys come after each other in a circle: ${way.map(({ key }) => `'${key}'`).join(' after ')}`,
    "Take one of them out of the 'after' of the block before it",
  )
