import type { DomainBlock, DomainPart } from '@svc/domain/contract'
import { integrationActions } from './answers/integrations.ts'
import { letterWindow } from './answers/letters.ts'
import { logWindow } from './answers/log.ts'
import { innerActions, OPERATE, operateAction } from './answers/operate.ts'
import { flowOf, oauthWindow } from './answers/oauth.ts'
import { receiveWindow } from './answers/receive.ts'
import { runAction } from './answers/run.ts'
import { stateWindow } from './answers/state.ts'
import { checkDistinct } from './compile/names.ts'
import { putConsumers } from './inbound/consuming.ts'
import { gatesOf } from './gates/gates.ts'
import type { Integration } from './integration.ts'
import { actedIn, keepsIn, mentionsIn } from './kept.ts'
import type { Parts } from './parts.ts'
import type { Means, Setting } from './run/means.ts'
import { ENTRY } from './tables/log.ts'
import { tablesOf } from './tables/tables.ts'
import { hearingOf } from './triggers/hearing.ts'
import { compileIntegration, IntegrationsDefinition } from './kinds/index.ts'
import { windows } from '@svc/automation/contract'

/** The key `integrations` of a domain; `open` has the domains that are in force on this server. */
export const integrationsBlock = (
  parts: Parts,
  open: Map<string, Means>,
): DomainBlock<IntegrationsDefinition> => ({
  on: 'domain',
  key: 'integrations',
  schema: IntegrationsDefinition,
  compile(written, site) {
    if (written === undefined) return undefined
    const integrations = new Map<string, Integration>()
    checkDistinct(Object.keys(written), [], site)
    for (const [name, one] of Object.entries(written)) {
      const integration = compileIntegration(name, one, site, parts)
      if (integration) integrations.set(name, integration)
    }
    const { model } = site
    const tables = tablesOf(model)
    const setting: Setting = {
      model,
      tables,
      integrations,
      parts,
      gates: gatesOf({ model, tables, parts }),
    }
    return partOf(setting, open)
  },
})

function partOf(setting: Setting, open: Map<string, Means>): DomainPart {
  const { model, tables, integrations, parts } = setting
  const { actions, openapi } = windows(
    { actions: integrationActions(integrations, parts.env.now), openapi: OPERATE },
    { actions: [operateAction(setting), runAction(setting), ...innerActions(setting)], openapi: {} },
    stateWindow(setting),
    logWindow(setting),
    letterWindow(setting),
    ...([...integrations.values()].some(({ webhook }) => webhook) ? [receiveWindow(setting)] : []),
    ...([...integrations.values()].some(flowOf) ? [oauthWindow(setting)] : []),
  )
  return {
    tables: { ...tables },
    actions,
    actsAs: [...integrations.values()].flatMap(({ name, as }) =>
      as === undefined ? [] : [{ username: as, path: [name, 'as'] }],
    ),
    ...hearingOf(setting),
    keeps: keepsIn(setting),
    mentions: mentionsIn(setting),
    acted: actedIn(setting),
    mixed: [{ table: tables.log, columns: [ENTRY.requestBody, ENTRY.responseBody] }],
    describe: () => ({ openapi }),
    async open(data) {
      const means: Means = { ...setting, data }
      await putConsumers(means)
      open.set(model.name, means)
      return () => {
        if (open.get(model.name) === means) open.delete(model.name)
        return closeAll(integrations.values())
      }
    },
  }
}

/** Ends the connections that integrations keep. */
async function closeAll(integrations: Iterable<Integration>): Promise<void> {
  await Promise.all([...integrations].flatMap(({ close }) => (close ? [close()] : [])))
}
