import { type Automation, listenersOf, windows } from '@svc/automation/contract'
import type { Data, DomainBlock, DomainPart, Model, Resource, Site } from '@svc/domain/contract'
import { EVENTS_KEY } from '@svc/events/contract'
import { HISTORY } from '@svc/history/contract'
import { errors, SYSTEM } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { z } from 'zod'
import { announceInstance } from './answers/announce.ts'
import { instanceActions } from './answers/actions.ts'
import { workflowWindow } from './answers/workflows.ts'
import type { Server, Setting } from './course/setting.ts'
import { eraseRecords, keptOf } from './course/erasing.ts'
import { INSTANCE } from './tables/instances.ts'
import { mentionsIn } from './tables/mentions.ts'
import { noteRemoval } from './course/removal.ts'
import { type Listening, startBy } from './course/triggering.ts'
import { linesOf } from './course/lines.ts'
import { type WorkflowDefinition, WorkflowDefinitions } from './definition/workflow.ts'
import { compileWorkflow } from './graph/compile.ts'
import type { Compiling } from './graph/place.ts'
import type { Workflow } from './graph/step.ts'
import { sealingOf } from './tables/sealing.ts'
import { tablesOf } from './tables/tables.ts'
import { rowsOf } from './course/rows.ts'
import { compilePinned } from './texts/pinned.ts'
import { createTexts } from './texts/texts.ts'
import type { OpenWaits } from './waits/wait.ts'

/** What the key is made with. */
export interface WorkflowsParts extends Server {
  readonly automation: Automation
  readonly openWaits: OpenWaits
  /** Takes note of what is made of a model, for whoever names that. */
  note(model: Model, running: Running): void
  /** Takes note of a domain that is in force on this server, until what it returns is called. */
  enter(setting: Setting): () => void
}

/** What the key makes: the workflows of a domain, with where their instances live. */
export interface Running {
  readonly setting: Setting
  readonly listening: readonly Listening[]
}

type Written = Readonly<Record<string, WorkflowDefinition>>

/** The key `workflows` of a domain. Without it the domain has instances still, where it once had it. */
export const workflowsBlock = (parts: WorkflowsParts): DomainBlock<Written, Running> => ({
  on: 'domain',
  key: 'workflows',
  schema: WorkflowDefinitions,
  after: [EVENTS_KEY],
  afterIfLoaded: [HISTORY.key, 'templates'],
  compile(written, site) {
    const compiling = compilingAt(site, parts)
    const inForce = new Map(
      Object.entries(written ?? {}).map(([name, definition]) => [
        name,
        compileWorkflow(name, definition, [name], compiling).workflow,
      ]),
    )
    return partOf(inForce, written, site, parts)
  },
})

const compilingAt = (site: Site, { automation }: WorkflowsParts): Compiling => ({
  site,
  action: (written, place) => automation.action(written, place),
  history: (resource) => site.made(HISTORY, resource)?.events ?? [],
})

function partOf(
  inForce: ReadonlyMap<string, Workflow>,
  written: Written | undefined,
  site: Site,
  parts: WorkflowsParts,
): DomainPart<Running> {
  const { setting, open } = settingOf(inForce, site, parts)
  const { model, tables, waits } = setting
  const listening = [...inForce.values()].map((workflow): Listening => ({
    workflow,
    switch: parts.automation.switches.of({
      domain: model.name,
      key: 'workflows',
      name: workflow.name,
      declared: workflow.enabled,
    }),
  }))
  const listeners = listenersOf(
    listening.flatMap((one) => (one.workflow.trigger ? [[one.workflow.trigger, one] as const] : [])),
  )
  const about = new Set([...inForce.values()].flatMap(({ resource }) => resource ?? []))
  /** The resources of whose timelines some trigger speaks: what a write brings about is known after it alone. */
  const historic = new Set(
    [...inForce.values()].flatMap(({ trigger }) =>
      trigger?.events.includes('history') ? trigger.resource : [],
    ),
  )
  const window = windows(
    ...(written === undefined
      ? []
      : [
          workflowWindow(listening, (name) => jsonOf(site.written([name])), setting, parts.automation),
          instanceActions(listening, setting),
        ]),
  )
  const made = { setting, listening }
  parts.note(model, made)
  const brought = (resource: Resource) => site.made(HISTORY, resource)
  return {
    tables: { ...tables, ...waits.tables },
    made,
    resources: new Set([...about, ...historic]),
    concerns: (change) =>
      (change.kind === 'delete' && about.has(change.resource)) ||
      historic.has(change.resource) ||
      listeners.hearing(change).length > 0,
    selfContained: true,
    async afterWrite(change, writes) {
      if (change.kind === 'delete' && about.has(change.resource)) await noteRemoval(setting, change, writes)
      const history = brought(change.resource)?.broughtBy(change) ?? []
      await startBy(setting, listeners, change, writes, history)
    },
    mixed: [tables.instances, tables.lines, tables.steps].map((table) => ({
      table,
      columns: table.columns.filter(({ kind }) => kind === 'json'),
    })),
    keeps: (resource) => keptOf(resource, tables),
    acted: [{ table: tables.instances, actor: INSTANCE.actor }],
    mentions: mentionsIn(tables),
    erase: (resource, keys, writes) => eraseRecords(setting, resource, keys, writes),
    ...(written !== undefined && { actions: window.actions, describe: () => ({ openapi: window.openapi }) }),
    open,
  }
}

/** The domain as its instances find it, and what opens it. */
function settingOf(
  inForce: ReadonlyMap<string, Workflow>,
  site: Site,
  parts: WorkflowsParts,
): { readonly setting: Setting; readonly open: NonNullable<DomainPart['open']> } {
  const { model } = site
  const { env, enter } = parts
  const tables = tablesOf(model)
  let records: Data | undefined
  const compiling = compilingAt(site, parts)
  const texts = createTexts({
    tables,
    inForce,
    written: (name) => jsonOf(site.written([name])),
    compile: (name, text) => compilePinned(name, { ...compiling, site: site.apart({ [name]: text }) }),
    now: () => new Date(env.now()).toISOString(),
  })
  const setting: Setting = {
    ...parts,
    model,
    tables,
    rows: rowsOf(tables, sealingOf(model)),
    texts,
    get waits() {
      return waits
    },
    data() {
      if (records !== undefined) return records
      throw errors.UNAVAILABLE({ message: `The domain '${model.name}' is not in force on this server` })
    },
    announce: (instance, workflow, event) => announceInstance(setting, instance, workflow, event),
  }
  const waits = parts.openWaits(model, linesOf(setting))
  return {
    setting,
    async open(data) {
      records = data
      if (inForce.size > 0) await data.write({ caller: SYSTEM }, (writes) => texts.keep(writes))
      const leave = enter(setting)
      const close = waits.open(data)
      return async () => {
        leave()
        await close()
      }
    },
  }
}

/** What is written, as a table keeps it. */
const jsonOf = (written: unknown): Value => z.json().parse(JSON.parse(JSON.stringify(written ?? null)))
