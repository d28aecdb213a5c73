import type { Tally } from '../contract.ts'
import { isThereAlready, reasonOf, tally } from '../tally.ts'
import type { Run } from './run.ts'

/** Makes the roles of the manifest. */
export const seedRoles = ({ manifest, accounts, source }: Run): Promise<Tally> =>
  tally([...manifest.roles.entries()], async ([at, role]) => {
    try {
      await accounts.createRole(role)
    } catch (error) {
      if (isThereAlready(error)) throw error
      throw source.fault(['roles', at], `role '${role.name}': ${reasonOf(error)}`)
    }
  })
