import type { Command } from '@svc/management/contract'
import type { Means } from './encryption.ts'
import { keptKeys } from './keep.ts'
import { countOlder } from './rewrite.ts'
import type { Rotation } from './rotate.ts'

/** How far the keys of the domains are, for the owner of the process; no key is told, wrapped or not. */
export const keysStatus = (rotation: Rotation, means: Means): Command => ({
  name: 'keys_status',
  async run() {
    const kept = await keptKeys(means.store)
    const domains = [...new Set(kept.map(({ domain }) => domain))]
    return Promise.all(
      domains.map(async (domain) => {
        const encryption = rotation.living.get(domain)
        const own = kept.filter((one) => one.domain === domain)
        const present = encryption && means.rings.present(domain).number
        return {
          domain,
          configured: encryption?.wrapping.first.id ?? null,
          wrappedBy: [...new Set(own.map(({ wrappedBy }) => wrappedBy))],
          present: present ?? null,
          keys: own
            .filter(({ purpose }) => purpose === 'data')
            .map(({ number, createdAt, activeFrom }) => ({ number, createdAt, activeFrom })),
          olderRecords:
            encryption && present !== undefined
              ? await countOlder(encryption.model, present, means.store)
              : null,
        }
      }),
    )
  },
})
