import type { Action } from '@svc/kernel'
import { health } from './actions/health.ts'
import { live } from './actions/live.ts'
import { plugins } from './actions/plugins.ts'
import { ready } from './actions/ready.ts'
import { routes } from './actions/routes.ts'
import { status } from './actions/status.ts'
import { version } from './actions/version.ts'
import type { System } from './system.ts'

/** Every action of this plugin. */
export function systemActions(system: System): readonly Action[] {
  return [health, live, ready, version, status, plugins, routes].map((make) => make(system))
}
