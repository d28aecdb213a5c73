import { type Context, repeat } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { createActions } from './actions/actions.ts'
import type { Automation } from './automation.ts'
import { createSwitches } from './switches/switches.ts'

/** How often a server looks for what others have switched, in milliseconds. */
const LOOK_MS = 500

/** Makes what rules, workflows and schedules share, and follows the switches of other servers. */
export async function startAutomation({
  store,
  env,
  log,
  onOpen,
}: Context & { readonly store: Store }): Promise<Automation> {
  const switches = await createSwitches(store, env.now)
  onOpen(() =>
    repeat(() => switches.look(), { everyMs: LOOK_MS, log, failure: 'automation.switches_not_read' }),
  )
  return { ...createActions(), switches }
}
