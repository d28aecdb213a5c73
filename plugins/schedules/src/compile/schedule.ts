import { type Automation, checkAutomationName, zoneOf } from '@svc/automation/contract'
import type { Path, Site } from '@svc/domain/contract'
import type { Notifications } from '@svc/notifications/contract'
import type { ScheduleDefinition, TierDefinition } from '../definition/schedule.ts'
import type { Deed, Schedule, ScheduleSource } from '../schedule.ts'
import { compileDeed, type DeedPlace } from './deed.ts'
import { checkKeys } from './keys.ts'
import { compileSource } from './source.ts'
import { compileTiming, isRelative } from './timing.ts'

/** What schedules are compiled with. */
export interface Surroundings {
  readonly automation: Automation
  readonly notifications: Notifications
  /** How often schedules are looked at, in milliseconds. */
  readonly heartbeatMs: number
}

/** Compiles a schedule; undefined where something is wrong with it, which is reported. */
export function compileSchedule(
  name: string,
  written: ScheduleDefinition,
  site: Site,
  around: Surroundings,
): Schedule | undefined {
  const path = [name]
  checkAutomationName(name, path, site, 'a schedule')
  checkKeys(written, path, site)
  const zone = zoneOf(written.timezone, [...path, 'timezone'], site)
  const source = compileSource(written, path, site)
  const timing = compileTiming(written, source?.resource, {
    path,
    site,
    zone,
    heartbeatMs: around.heartbeatMs,
  })
  const deeds = compileDeeds(name, written, source, { ...around, site, zone })
  if (timing === undefined || deeds === undefined || (written.source !== undefined && source === undefined))
    return undefined
  const declared = written.enabled ?? true
  const { name: domain } = site.model
  return {
    name,
    model: site.model,
    declared,
    switch: around.automation.switches.of({ domain, key: 'schedules', name, declared }),
    written,
    zone,
    source,
    timing,
    deeds,
    batched: written.batched ?? false,
  }
}

function compileDeeds(
  name: string,
  written: ScheduleDefinition,
  source: ScheduleSource | undefined,
  { site, zone, ...around }: Surroundings & { readonly site: Site; readonly zone: string },
): readonly Deed[] | undefined {
  const place = (path: Path, tag: string | undefined): DeedPlace => ({
    ...around,
    site,
    zone,
    path,
    resource: source?.resource,
    name: ['schedules', name],
    batched: written.batched ?? false,
    otherwise: tag,
  })
  const { tiers } = written
  if (tiers === undefined) {
    const deed = compileDeed(written, place([name], isRelative(written) ? 'due' : undefined))
    return deed && [deed]
  }
  checkTags(tiers, [name, 'tiers'], site)
  const deeds = tiers.map((tier, at) => {
    const tag = tagOf(tier)
    return compileDeed(withCommon(tier, written), {
      ...place([name, 'tiers', at], String(tier.daysUntil)),
      name: ['schedules', name, tag],
    })
  })
  return deeds.every((deed) => deed !== undefined) ? deeds : undefined
}

/** What a tier does not say is that of the schedule; values belong to the action that they were written for. */
function withCommon(tier: TierDefinition, common: ScheduleDefinition): TierDefinition {
  const { notification, skipIf, action, target, input, transition, recordId } = common
  const done = { action, target, input, transition, recordId }
  const isSame = tier.action === undefined || tier.action === action
  return { notification, skipIf, ...(isSame && done), ...tier }
}

const tagOf = ({ tag, daysUntil }: TierDefinition): string => tag ?? String(daysUntil)

function checkTags(tiers: readonly TierDefinition[], path: Path, site: Pick<Site, 'problem'>): void {
  const seen = new Set<string>()
  for (const [at, tier] of tiers.entries()) {
    const tag = tagOf(tier)
    if (seen.has(tag))
      site.problem(
        [...path, at, tier.tag === undefined ? 'daysUntil' : 'tag'],
        `two tiers have the tag '${tag}'`,
        'Give each a tag of its own',
      )
    seen.add(tag)
  }
}
