import { StartupError } from '@svc/kernel'
import type { Block } from '../contract/block.ts'
import type { OwnKind } from '../contract/change.ts'

/** What the engine does by itself: no block may own one of these. */
const OWN = {
  create: true,
  update: true,
  put: true,
  delete: true,
  transition: true,
  restore: true,
  custom: true,
  overwrite: true,
  linked: true,
  unlinked: true,
} as const satisfies Record<OwnKind, true>

/** Sees to it that each kind of change has one owner; two end the start. */
export function assertKindsOwned(blocks: readonly Block[]): void {
  const owners = new Map<string, string>()
  for (const block of blocks) {
    for (const kind of block.on === 'resource' ? (block.changes ?? []) : []) {
      const owner = Object.hasOwn(OWN, kind) ? 'the engine' : owners.get(kind)
      if (owner !== undefined)
        throw new StartupError(
          'domain',
          `the kind of change '${kind}' belongs to '${block.key}' and to ${owner}`,
          "Load one of the plugins, or give the kind another name in the block's 'changes'",
        )
      owners.set(kind, `'${block.key}'`)
    }
  }
}
