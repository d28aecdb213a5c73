import { StartupError } from '@svc/kernel'
import type { Block } from '../contract/block.ts'
import { knownKeys } from '../definition/known-keys.ts'
import type { Path } from '../definition/problem.ts'
import { definitionSchema } from '../definition/schema/definition.ts'

/** Sees to it that blocks own only what the language does not have by itself; another key or feature ends the start. */
export function assertKeysFree(blocks: readonly Block[]): void {
  if (blocks.length === 0) return
  const own = definitionSchema({ typeAttributes: {}, domainBlocks: {}, resourceBlocks: {} })
  for (const { place, path, named } of PLACES) {
    const taken = new Set(knownKeys(own, path))
    for (const block of blocks)
      for (const name of named(block))
        if (taken.has(name))
          throw new StartupError(
            'domain',
            `the ${place} '${name}' belongs to the definition language itself, so that '${block.key}' of a ${block.on} cannot own it`,
            "Give the block another name, in its 'key' or its 'features'",
          )
  }
}

interface Place {
  readonly place: string
  /** Where a definition has what the language owns. */
  readonly path: Path
  /** What a block owns there. */
  named(block: Block): readonly string[]
}

const PLACES: readonly Place[] = [
  { place: 'key', path: ['domain'], named: ({ on, key }) => (on === 'domain' ? [key] : []) },
  {
    place: 'key',
    path: ['domain', 'resources', 'Any'],
    named: ({ on, key }) => (on === 'resource' ? [key] : []),
  },
  {
    place: 'feature',
    path: ['domain', 'resources', 'Any', 'features'],
    named: (block) => (block.on === 'resource' ? Object.keys(block.features ?? {}) : []),
  },
]
