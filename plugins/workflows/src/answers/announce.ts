import { announce, isHeard } from '@svc/automation/contract'
import type { Row } from '@svc/store/contract'
import type { Setting } from '../course/setting.ts'
import { INSTANCE } from '../tables/instances.ts'
import { presentInstance, type Sight } from './present.ts'

/** Tells the bus of an instance that has begun or ended, with the entry in full. Nobody waits for it. */
export function announceInstance(setting: Setting, id: string, workflow: string, event: string): void {
  const name = `workflow.${workflow}.${event}`
  if (!isHeard(setting.bus, { domain: setting.model.name, name })) return
  const at = new Date(setting.env.now()).toISOString()
  tell(setting, id, name, at).catch((err: unknown) =>
    setting.log.warn({ err, instance: id }, 'workflows.not_announced'),
  )
}

async function tell(setting: Setting, id: string, name: string, at: string): Promise<void> {
  const { tables, bus, model } = setting
  const { reader } = setting.data()
  const [row] = await reader.select({
    table: tables.instances,
    columns: tables.instances.columns,
    where: { op: 'eq', column: INSTANCE.id, value: id },
    order: [],
  })
  if (row === undefined) return
  const entry = await presentInstance(row, setting, reader, ALL)
  announce(bus, { domain: model.name, name, at, entry })
}

/** The bus is inside the house. */
const ALL: Sight = {
  record: (_: string | null, kept: Row | null) => kept,
  item: () => true,
  through: () => true,
}
