import { type Config, createKernel, type Kernel, type Plugin } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { standardPlugins } from '@svc/server'
import { createRequest, type SendRequest } from './request.ts'
import type { TestDatabase } from './stores.ts'
import { SECRET, type TestKernel } from './test-kernel.ts'

/** A server without a life of its own: it works on the database of a TestKernel, and takes its tokens. */
export interface SecondServer {
  readonly request: SendRequest
  readonly kernel: Kernel
  stop(): Promise<void>
}

/** Starts another server on the same database, with `more` plugins and sections. */
export async function startSecond(
  database: TestDatabase,
  env: TestKernel['clock'],
  more: readonly Plugin[] = [],
  config: Config = {},
): Promise<SecondServer> {
  const sections = {
    ...database.config(),
    rest: { port: 0 },
    auth: { jwt: { secret: SECRET } },
    rate_limit: { enabled: false },
    ...config,
  }
  const plugins = standardPlugins(sections).filter(({ name }) => name !== 'management')
  const kernel = createKernel({
    config: sections,
    plugins: [...plugins, ...more],
    environment: 'production',
    env,
  })
  await kernel.start()
  const http = kernel.get(HttpServerCapability)
  return { kernel, request: createRequest(http.url(), http.fetch), stop: () => kernel.stop() }
}
