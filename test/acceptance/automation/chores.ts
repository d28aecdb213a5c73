import {
  type ActionDefinition,
  actionKeys,
  announce,
  AutomationCapability,
  type Automation,
  checkAutomationName,
  compileTrigger,
  type CompiledAction,
  Failure,
  failureOf,
  type Ledger,
  ledgerWindow,
  listenersOf,
  resultOf,
  sweepLedger,
  type SwitchedEntry,
  switchWindow,
  type Trigger,
  triggerKeys,
  triggerVariables,
  windows,
} from '@svc/automation/contract'
import {
  type Change,
  type DomainBlock,
  domainAction,
  DomainsCapability,
  evaluationOf,
  type Resource,
  type Site,
  type Writes,
} from '@svc/domain/contract'
import { type Context, createUuidV7, definePlugin, errors, type Plugin, SYSTEM } from '@svc/kernel'
import { NotificationDefinition } from '@svc/notifications/contract'
import { column, type Condition, type Row, type Store, StoreCapability } from '@svc/store/contract'
import { z } from 'zod'

/** `chores` of a domain: actions that a test does by hand, or that follow a write, with all that rules, workflows and schedules share. */
const Chore = z.strictObject({
  in: z.enum(['workflow', 'schedule']).default('schedule'),
  resource: z.string().optional(),
  enabled: z.boolean().default(true),
  when: z
    .strictObject({
      resource: triggerKeys.resource.optional(),
      event: triggerKeys.event.optional(),
      transition: triggerKeys.transition.optional(),
      field: triggerKeys.field.optional(),
      fields: triggerKeys.fields.optional(),
      condition: triggerKeys.condition.optional(),
    })
    .optional(),
  action: actionKeys.action,
  target: actionKeys.target.optional(),
  input: actionKeys.input.optional(),
  transition: actionKeys.transition.optional(),
  recordId: actionKeys.recordId.optional(),
  notification: NotificationDefinition.optional(),
})
type Chore = z.output<typeof Chore>

interface CompiledChore extends SwitchedEntry {
  readonly resource: Resource | undefined
  readonly action: CompiledAction
  readonly trigger: Trigger | undefined
}

const [ID, NAME, RESOURCE, RECORD, KEPT, AT, STATUS] = [
  column('id', 'uuid'),
  column('chore', 'text'),
  column('resource', 'text', true),
  column('recordId', 'text', true),
  column('kept', 'json', true),
  column('at', 'datetime'),
  column('status', 'text'),
]

/** One entry of the ledger of what was done by hand. */
const Done = z.object({
  id: z.string().describe('Its id.'),
  chore: z.string().describe('The chore.'),
  recordId: z.string().nullable().describe('The record that it was done to.'),
  record: z.record(z.string(), z.json()).nullable().describe('The record, as far as you may read it.'),
  status: z.string().describe('What came of it.'),
  at: z.string().describe('When.'),
})

const STATUSES = ['done', 'failed']

type Parts = Pick<Context, 'bus' | 'env'> & { readonly automation: Automation; readonly store: Store }

function compileChore(
  name: string,
  chore: Chore,
  site: Site,
  automation: Automation,
): CompiledChore | undefined {
  const { in: where, resource: resourceName, enabled, when, ...written } = chore
  checkAutomationName(name, [name], site, 'a chore')
  const resource = resourceName === undefined ? undefined : site.model.resources.get(resourceName)
  const trigger = when && compileTrigger(when, [name, 'when'], site)
  const action = automation.action(written satisfies ActionDefinition, {
    site,
    path: [name],
    in: where,
    resource: resource ?? trigger?.resource,
    speech: { moment: 'read', ...(resource && { resource }) },
    name: ['chores', name],
    zone: 'Europe/London',
  })
  const switched = { domain: site.model.name, key: 'chores', name, declared: enabled }
  return (
    action && {
      name,
      declared: enabled,
      switch: automation.switches.of(switched),
      shown: { action: chore.action, resource: resourceName ?? null },
      resource,
      action,
      trigger,
    }
  )
}

const choresBlock = ({ automation, bus, env, store }: Parts): DomainBlock<Record<string, Chore>> => ({
  on: 'domain',
  key: 'chores',
  schema: z.record(z.string(), Chore).describe('Actions by name.'),
  compile(written, site) {
    if (written === undefined) return undefined
    const chores = Object.entries(written).flatMap(
      ([name, chore]) => compileChore(name, chore, site, automation) ?? [],
    )
    const newId = createUuidV7(env)
    const domain = site.model.name
    const table = {
      name: `${domain}__chores`,
      columns: [ID, NAME, RESOURCE, RECORD, KEPT, AT, STATUS],
      primaryKey: [ID],
      indexes: [{ name: `${domain}__chores_at`, columns: [AT, ID], unique: false }],
      foreignKeys: [],
    }
    const ledger: Ledger = {
      table,
      id: ID,
      at: AT,
      filters: {
        chore: { column: NAME, description: 'Only those of this chore.' },
        status: { column: STATUS, description: 'Only those of this status.', values: STATUSES },
      },
      entry: Done,
      present: ({ resource, kept, ...row }, reader) => ({
        ...row,
        record: reader.record(resource as string | null, kept as Row | null),
      }),
    }
    const listeners = listenersOf(chores.flatMap((one) => (one.trigger ? [[one.trigger, one] as const] : [])))
    const perform = (chore: CompiledChore, writes: Writes, record: Row | undefined, depth: number) =>
      chore.action.perform({
        writes,
        context: { record, user: SYSTEM, op: 'update', now: env.now },
        key: (record?.[chore.resource?.key.name ?? 'id'] ?? undefined) as string | undefined,
        source: { kind: 'schedule', name: chore.name, step: null, id: null },
        depth,
      })
    const entries = switchWindow({
      key: 'chores',
      domain,
      switches: automation.switches,
      entries: chores,
      schema: 'Chore',
      one: 'a chore',
      shape: {
        action: z.string().describe('What it does.'),
        resource: z.string().nullable().describe('What it does it to.'),
      },
      filters: { resource: 'Only those of this resource.', action: 'Only those with this action.' },
    })
    const run = domainAction({
      name: 'run',
      summary: 'Do a chore',
      access: ['admin'],
      routes: ['POST /chores/:name/run'],
      input: z.strictObject({ name: z.string(), recordId: z.string().optional() }),
      async handle({ name, recordId }, _, data) {
        const chore = chores.find((one) => one.name === name)
        if (chore === undefined) throw errors.NOT_FOUND()
        if (!chore.switch.enabled) throw errors.CONFLICT({ message: 'It is switched off' })
        const { resource } = chore
        const asker = { caller: SYSTEM }
        const record =
          recordId !== undefined && resource ? await data.find(resource, recordId, asker) : undefined
        const values = { chore: name, resource: resource?.name ?? null, recordId: recordId ?? null }
        const entry = { id: newId(), ...values, at: new Date(env.now()).toISOString() }
        const enter = (writes: Writes, status: string, kept: Row | null) =>
          writes.insert({ table, values: { ...entry, status, kept } })
        try {
          const result = await data.write(asker, async (writes) => {
            const made = await perform(chore, writes, record, 0)
            await enter(writes, 'done', made.record ?? null)
            writes.afterCommit(() =>
              announce(bus, { domain, name: `chore.${name}.done`, at: entry.at, entry }),
            )
            return made
          })
          return { entry: entry.id, result: resultOf(result), recordId: result.recordId ?? null }
        } catch (error) {
          await data.write(asker, (writes) => enter(writes, 'failed', null))
          return { entry: entry.id, error: failureOf(error), isFailure: error instanceof Failure }
        }
      },
    })
    const erase = domainAction({
      name: 'erase',
      summary: 'Erase what chores keep of an order',
      access: ['admin'],
      routes: ['POST /chores/erase/:id'],
      input: z.strictObject({ id: z.string() }),
      async handle({ id }, call, data) {
        const resource = data.model.resources.get('Order')!
        await data.write(call, (writes) => data.erase(resource, [id], writes))
        return data.keeps(resource).map(({ table: { name: kept } }) => kept)
      },
    })
    const sweep = domainAction({
      name: 'sweep',
      summary: 'Remove what was done long ago',
      access: ['admin'],
      routes: ['POST /retained-chores/:days'],
      input: z.strictObject({ days: z.string() }),
      async handle({ days }) {
        const done: Condition = { op: 'eq', column: STATUS, value: 'done' }
        return sweepLedger({ table, endedAt: AT, days: Number(days), where: done }, store, env.now())
      },
    })
    const window = windows(
      entries,
      ledgerWindow({
        ledger,
        schema: 'ChoreDone',
        words: ['an entry', 'entries'],
        list: { name: 'log', path: '/chores/log' },
        get: 'entry',
      }),
    )
    return {
      tables: { done: table },
      actions: [run, erase, sweep, ...window.actions],
      keeps: (resource) => [
        {
          table,
          recordId: RECORD,
          where: { op: 'eq', column: RESOURCE, value: resource.name },
          values: [KEPT],
          erased: { kept: null },
        },
      ],
      describe: () => ({ openapi: window.openapi }),
      async afterWrite(change, writes) {
        for (const chore of listeners.hearing(change)) {
          const record = change.record ?? change.previous
          if (
            !chore.switch.enabled ||
            (chore.trigger?.condition && !(await holds(chore.trigger, change, writes)))
          )
            continue
          await writes.insert({
            table,
            values: {
              id: newId(),
              chore: chore.name,
              resource: change.resource.name,
              recordId: String(change.key),
              kept: record ?? null,
              at: change.at,
              status: 'done',
            },
          })
        }
      },
      open: () => entries.settle(),
    }
  },
})

async function holds({ condition }: Trigger, change: Change, writes: Writes): Promise<boolean> {
  if (condition === undefined) return true
  const context = await evaluationOf(change, [condition], writes)
  return condition.holds({ ...context, variables: triggerVariables(change) })
}

/** Adds the key `chores` to domains. */
export const chores: Plugin = definePlugin({
  name: 'chores',
  phase: 'domain',
  requires: { domains: DomainsCapability, automation: AutomationCapability, store: StoreCapability },
  setup: ({ domains, automation, bus, env, store }) =>
    domains.block(choresBlock({ automation, bus, env, store })),
})
