import type { Automation } from '@svc/automation/contract'
import type { Data, DomainBlock, DomainPart, Site } from '@svc/domain/contract'
import { answersOf } from './answers/window.ts'
import { enterStates, settleSwitches } from './beat/states.ts'
import { compileSchedule, type Surroundings } from './compile/schedule.ts'
import { SchedulesDefinition } from './definition/schedule.ts'
import { dueStep } from './due/step.ts'
import { eraseFromBatches } from './firing/erase.ts'
import { createInForce } from './in-force.ts'
import type { Schedule } from './schedule.ts'
import type { KnownState, Server, Setting } from './setting.ts'
import { FIRING } from './tables/firings.ts'
import { tablesOf } from './tables/tables.ts'

/** What the key is made with. */
export interface SchedulesParts extends Surroundings {
  readonly server: Server
  /** Takes note of a domain that is in force on this server, until what it returns is called. */
  enter(setting: Setting): () => void
}

/** The key `schedules` of a domain. */
export const schedulesBlock = (parts: SchedulesParts): DomainBlock<SchedulesDefinition> => ({
  on: 'domain',
  key: 'schedules',
  schema: SchedulesDefinition,
  afterIfLoaded: ['workflows', 'templates', 'reports'],
  compile(written, site) {
    if (written === undefined) return undefined
    const schedules = Object.entries(written).flatMap(
      ([name, definition]) => compileSchedule(name, definition, site, parts) ?? [],
    )
    return partOf(schedules, site, parts)
  },
})

function partOf(schedules: readonly Schedule[], site: Site, parts: SchedulesParts): DomainPart {
  const { automation } = parts
  const { model } = site
  const tables = tablesOf(model)
  let states: ReadonlyMap<string, KnownState> = new Map()
  const inForce = createInForce(model.name)
  const answers = answersOf(schedules, tables, automation, site, () => inForce.setting())
  const keeping = dueStep(schedules, tables, (name) => states.get(name))
  return {
    tables: { ...tables },
    resources: keeping.resources,
    concerns: (change) => keeping.concerns(change),
    selfContained: true,
    afterWrite: keeping.afterWrite,
    keeps: (resource) => [
      {
        table: tables.firings,
        recordId: FIRING.recordId,
        values: [FIRING.tag, FIRING.error],
        where: { op: 'eq', column: FIRING.resource, value: resource.name },
        erased: { tag: null, error: null },
      },
    ],
    mentions: [
      {
        kind: 'firing',
        table: tables.firings,
        columns: [FIRING.tag, FIRING.tagVeil, FIRING.result, FIRING.error, FIRING.errors],
        about: { resource: FIRING.resource, recordId: FIRING.recordId },
      },
    ],
    erase: (resource, keys, writes) => eraseFromBatches(resource, new Set(keys.map(String)), tables, writes),
    actions: answers.actions,
    describe: () => ({ openapi: answers.openapi }),
    async open(data) {
      await answers.settle()
      const entering = { model, tables, env: parts.server.env, works: parts.server.works, data }
      states = await enterStates(schedules, entering)
      const setting = settingOf(schedules, data, site, parts, (name) => states.get(name))
      inForce.enter(setting)
      return follow(setting, automation, parts)
    },
  }
}

function settingOf(
  schedules: readonly Schedule[],
  data: Data,
  { model }: Site,
  { server }: SchedulesParts,
  known: (name: string) => KnownState | undefined,
): Setting {
  return {
    ...server,
    model,
    tables: tablesOf(model),
    schedules: new Map(schedules.map((schedule) => [schedule.name, schedule])),
    data,
    stateOf(name) {
      const state = known(name)
      if (state !== undefined) return state
      const now = server.env.now()
      return { firstAt: now, since: now }
    },
    settled: Promise.resolve(),
  }
}

/** Keeps up with switches as long as the domain is in force. */
async function follow(setting: Setting, { switches }: Automation, { enter, server }: SchedulesParts) {
  const settle = () => settleSwitches(setting.schedules.values(), setting)
  await settle()
  const leave = enter(setting)
  const unfollow = switches.onChange(() => {
    setting.settled = setting.settled.then(settle).catch((err: unknown) => {
      server.log.error({ domain: setting.model.name, err }, 'schedules.switches_not_settled')
    })
  })
  return async () => {
    unfollow()
    leave()
    await setting.settled
  }
}
