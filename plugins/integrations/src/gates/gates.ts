import type { Integration } from '../integration.ts'
import type { Gates, Setting } from '../run/means.ts'
import { announce, raise } from '../run/notices.ts'
import { Breaker, type BreakerState } from './breaker.ts'
import { createLimiter } from './limiter.ts'

/** Makes what stands between the runs of a model and other sides, each when it is first asked for. */
export function gatesOf(setting: Pick<Setting, 'model' | 'tables' | 'parts'>): Setting['gates'] {
  const made = new Map<Integration, Gates>()
  return (integration) => {
    const known = made.get(integration)
    if (known !== undefined) return known
    const gates = createGates(integration, setting)
    made.set(integration, gates)
    return gates
  }
}

function createGates(integration: Integration, setting: Pick<Setting, 'model' | 'tables' | 'parts'>): Gates {
  const { tables, parts } = setting
  const { breaker, limit } = integration.resilience
  const { store, env } = parts
  const told = (state: BreakerState) => tellCircuit(integration, state, setting)
  return {
    breaker: breaker && new Breaker(integration.name, breaker, tables.breakers, { store, env, told }),
    limiter: limit && createLimiter(integration.name, limit, tables.buckets, { store, env }),
    waiting: 0,
    rejected: 0,
  }
}

/** Tells of a breaker that opens, is half open or closes. */
function tellCircuit(
  integration: Integration,
  { state, failures, retryAt }: BreakerState,
  setting: Pick<Setting, 'model' | 'parts'>,
): void {
  const { parts, model } = setting
  announce(integration, 'circuit', { state, failures, retryAt }, setting)
  parts.log.warn({ domain: model.name, integration: integration.name, state }, 'integrations.circuit')
  if (state !== 'open') return
  const variables = {
    notice: 'circuitOpen',
    integration: integration.name,
    operation: null,
    error: `${failures} attempts in a row have failed`,
    deadLetterId: null,
  }
  parts.store
    .transaction((transaction) => raise('circuitOpen', integration, variables, transaction, setting))
    .catch((err: unknown) => parts.log.error({ err }, 'integrations.notice_failed'))
}
