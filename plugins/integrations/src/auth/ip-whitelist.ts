import { readAddresses } from '@svc/outbound/contract'
import type { Path, Site } from '@svc/domain/contract'
import { z } from 'zod'
import { authType } from './auth.ts'

/** `ip_whitelist`: the addresses besides which nothing is connected to; of a webhook, those that messages may come from. */
export const ipWhitelist = authType({
  definition: z.strictObject({
    type: z.literal('ip_whitelist'),
    addresses: z.array(z.string().min(1)).min(1).max(1000).describe('Addresses and CIDRs.'),
  }),
  compile({ addresses }, path, site) {
    if (!checkAddresses(addresses, path, site)) return undefined
    return {
      type: 'ip_whitelist',
      headers: [],
      query: [],
      secrets: [],
      authorize: () => ({ only: addresses }),
    }
  },
})

/** Reports what is no address, and no range of such; whether all are. */
export function checkAddresses(addresses: readonly string[], path: Path, site: Site): boolean {
  const ranges = readAddresses(addresses)
  for (const [at, range] of ranges.entries())
    if (range === undefined)
      site.problem(
        [...path, 'addresses', at],
        `'${addresses[at]}' is neither an address nor a range`,
        'Write 192.0.2.1 or 192.0.2.0/24',
      )
  return !ranges.includes(undefined)
}
