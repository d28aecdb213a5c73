import { readFileSync } from 'node:fs'
import { AccountsCapability } from '@svc/auth/contract'
import { createKernel } from '@svc/kernel'
import { standardPlugins } from '@svc/server'

const USERNAME = 'admin'
const PASSWORD = 'Correct-horse-7'

/**
 * Makes the administrator in the store that a configuration file names by a whole path, in this process; answers the
 * password. Tests of the command itself, and of what pages say of it, run `svc admin create`: it takes as long as a start.
 */
export async function makeAdmin(file: string): Promise<string> {
  const { sqlite, postgres, auth } = JSON.parse(readFileSync(file, 'utf8'))
  const config = {
    ...(sqlite !== undefined && { sqlite }),
    ...(postgres !== undefined && { postgres }),
    auth,
  }
  const plugins = standardPlugins(config).filter(({ phase }) => phase === 'store' || phase === 'auth')
  const kernel = createKernel({ config, plugins })
  await kernel.start()
  try {
    const email = `${USERNAME}@localhost.localdomain`
    const roles = ['admin']
    await kernel
      .get(AccountsCapability)
      .create({ username: USERNAME, email, password: PASSWORD, roles, verified: true })
  } finally {
    await kernel.stop()
  }
  return PASSWORD
}
