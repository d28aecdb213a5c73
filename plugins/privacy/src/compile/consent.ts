import type { Resource, Site } from '@svc/domain/contract'
import type { PrivacyDefinition } from '../definition.ts'
import { nearestTo } from './near.ts'

/** What people may consent to. */
export interface Purpose {
  readonly purpose: string
  readonly description: string | undefined
  readonly required: boolean
  readonly withdrawable: boolean
  readonly resources: readonly Resource[]
}

/** The purposes of a domain by name; what makes no sense is reported. */
export function compilePurposes(
  { consent = [] }: PrivacyDefinition,
  site: Site,
): ReadonlyMap<string, Purpose> {
  const purposes = new Map<string, Purpose>()
  for (const [at, written] of consent.entries()) {
    const { purpose, description, required = false, withdrawable = !required, resources = [] } = written
    if (purposes.has(purpose))
      site.problem(['consent', at, 'purpose'], `there are two purposes '${purpose}'`, 'Rename one of them')
    if (required && withdrawable)
      site.warning(
        ['consent', at, 'withdrawable'],
        `'${purpose}' is required, so nobody can withdraw it`,
        'Leave withdrawable out',
      )
    const found = resources.flatMap((name, index) => {
      const resource = site.model.resources.get(name)
      if (resource) return [resource]
      site.problem(
        ['consent', at, 'resources', index],
        `there is no resource '${name}'`,
        nearestTo(name, site.model.resources.keys()),
      )
      return []
    })
    purposes.set(purpose, {
      purpose,
      description,
      required,
      withdrawable: withdrawable && !required,
      resources: found,
    })
  }
  return purposes
}
