import { audit } from '@svc/audit'
import { auth } from '@svc/auth'
import { cache } from '@svc/cache'
import { domain } from '@svc/domain'
import { history } from '@svc/history'
import type { Config, Plugin } from '@svc/kernel'
import { mail } from '@svc/mail'
import { management } from '@svc/management'
import { metrics } from '@svc/metrics'
import { openapi } from '@svc/openapi'
import { ratelimit } from '@svc/ratelimit'
import { rest } from '@svc/rest'
import { scripting } from '@svc/scripting'
import { seeder } from '@svc/seeder'
import { postgres, sqlite } from '@svc/store'
import { system } from '@svc/system'

/** Every plugin that comes with the server, by the name that configurations use. */
export const BUILT_IN: Readonly<Record<string, Plugin>> = {
  rest,
  management,
  metrics,
  sqlite,
  postgres,
  ratelimit,
  mail,
  auth,
  audit,
  system,
  domain,
  cache,
  history,
  openapi,
  seeder,
  scripting,
}

/** What is loaded where a configuration lists no plugins: all, with the one store that it has a section for. */
export function standardPlugins(sections: Config): readonly Plugin[] {
  const unused = 'postgres' in sections ? sqlite : postgres
  return Object.values(BUILT_IN).filter((plugin) => plugin !== unused)
}
