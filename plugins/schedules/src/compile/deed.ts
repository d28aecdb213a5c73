import type { ActionDefinition, Automation } from '@svc/automation/contract'
import type { Path, Resource, Site } from '@svc/domain/contract'
import type { Notifications } from '@svc/notifications/contract'
import type { ScheduleDefinition, TierDefinition } from '../definition/schedule.ts'
import type { Deed } from '../schedule.ts'
import { speechOf, speechOfBatch } from './speech.ts'
import { compileTag } from './tag.ts'

/** Where a deed stands. */
export interface DeedPlace {
  readonly site: Site
  readonly path: Path
  readonly automation: Automation
  readonly notifications: Notifications
  readonly resource: Resource | undefined
  readonly zone: string
  /** By what name locale files know its texts. */
  readonly name: readonly string[]
  readonly batched: boolean
  /** The tag where none is written; undefined: the planned moment. */
  readonly otherwise: string | undefined
}

/** Actions that are done to each record of a batch. */
const EACH: readonly string[] = ['update', 'transition', 'archive', 'delete']

type Doing = Pick<
  ScheduleDefinition,
  'action' | 'target' | 'input' | 'transition' | 'recordId' | 'notification' | 'skipIf' | 'tag'
>

/** Compiles what is done; undefined where something is wrong with it, which is reported. */
export function compileDeed(written: Doing & Partial<TierDefinition>, place: DeedPlace): Deed | undefined {
  const { site, path, resource, batched, zone, name } = place
  const { action: kind, skipIf: condition, daysUntil } = written
  if (kind === undefined) {
    site.problem([...path, 'action'], 'is missing', 'Say what is done')
    return undefined
  }
  const isEach = EACH.includes(kind)
  const atHand = batched && !isEach ? undefined : resource
  const speech = speechOf(resource, batched)
  const tag = compileTag(written.tag, place.otherwise, [...path, 'tag'], site, speechOf(resource, false))
  const skipIf =
    condition === undefined
      ? undefined
      : site.expression(condition, [...path, 'skipIf'], { ...speechOf(resource, false), kind: 'boolean' })
  const action = place.automation.action(actionOf(written, kind), {
    site,
    path,
    in: 'schedule',
    resource: atHand,
    speech: batched && !isEach && kind !== 'notify' ? speechOfBatch(resource, batched) : speech,
    name,
    zone,
  })
  const notification =
    kind === 'notify' || written.notification === undefined
      ? undefined
      : place.notifications.compile(written.notification, {
          site,
          path: [...path, 'notification'],
          speech,
          name: name.join('.'),
        })
  const isWhole =
    (condition === undefined || skipIf) &&
    (kind === 'notify' || written.notification === undefined || notification)
  if (tag === undefined || action === undefined || !isWhole) return undefined
  return {
    key: daysUntil === undefined ? '' : String(daysUntil),
    daysUntil,
    tag,
    action,
    skipIf,
    notification,
    expressions: [
      ...tag.expressions,
      ...(skipIf ? [skipIf] : []),
      ...action.expressions,
      ...(notification?.expressions ?? []),
    ],
    isEach,
  }
}

const actionOf = (
  { target, input, transition, recordId, notification }: Doing,
  action: string,
): ActionDefinition => ({
  action,
  ...(target !== undefined && { target }),
  ...(input !== undefined && { input }),
  ...(transition !== undefined && { transition }),
  ...(recordId !== undefined && { recordId }),
  ...(notification !== undefined && { notification }),
})
