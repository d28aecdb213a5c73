import { compileDuration, type Duration } from '@svc/automation/contract'
import type { Path, Resource, RowCondition, Site } from '@svc/domain/contract'
import type { PrivacyDefinition, RetentionAction, RetentionDefinition } from '../definition.ts'
import { nearestTo } from './near.ts'
import type { PersonalField } from './personal.ts'

/** What the time of an entry counts from in one resource. */
export type Since =
  | { readonly kind: 'recordCreation' | 'lastActivity' }
  | { readonly kind: 'field'; readonly field: string }

/** How long fields of one category are kept, in the resources that have such. */
export interface RetentionEntry {
  /** Its place among the entries of the domain. */
  readonly at: number
  readonly category: string
  readonly duration: Duration | undefined
  readonly action: RetentionAction | undefined
  readonly since: Since
  readonly hold: boolean
  readonly regulation: string | undefined
  /** The condition on records by resource; undefined where there is none. */
  readonly resources: ReadonlyMap<Resource, RowCondition | undefined>
}

/** How long something may be kept, and how short. */
export const RETENTION_BOUNDS = { least: '1s', most: '36500d' } as const
/** So many conditions are read, one for each resource of an entry. */
const MOST_CONDITIONS = 10_000
const CREATED = 'createdAt'
const DAYS: ReadonlySet<string> = new Set(['date', 'datetime'])

/** The entries under `retention`; what makes no sense is reported. */
export function compileRetention(
  written: PrivacyDefinition,
  personal: readonly PersonalField[],
  site: Site,
): readonly RetentionEntry[] {
  const { retention = [], classifications = {} } = written
  for (const [name, { retention: span }] of Object.entries(classifications))
    if (span !== undefined)
      compileDuration(span, ['classifications', name, 'retention'], site, RETENTION_BOUNDS)
  const around = { written, personal, site, conditions: 0 }
  return retention.flatMap((entry, at) => {
    if (around.conditions > MOST_CONDITIONS) return []
    if (!Object.hasOwn(classifications, entry.category)) {
      site.problem(
        ['retention', at, 'category'],
        `there is no classification '${entry.category}'`,
        nearestTo(entry.category, Object.keys(classifications)),
      )
      return []
    }
    return [compileEntry(entry, at, around)]
  })
}

interface Around {
  readonly written: PrivacyDefinition
  readonly personal: readonly PersonalField[]
  readonly site: Site
  /** How many are to be read up to here. */
  conditions: number
}

function compileEntry(entry: RetentionDefinition, at: number, around: Around): RetentionEntry {
  const { site, written } = around
  const { category, action, hold = false, regulation, when, from = 'recordCreation' } = entry
  const path: Path = ['retention', at]
  const span = entry.duration ?? written.classifications?.[category]?.retention
  const duration =
    span === undefined
      ? undefined
      : compileDuration(
          span,
          entry.duration === undefined ? ['classifications', category, 'retention'] : [...path, 'duration'],
          site,
          RETENTION_BOUNDS,
        )
  if (span === undefined && !(hold && when !== undefined))
    site.problem(
      path,
      `nothing says how long '${category}' is kept`,
      'Write duration, or retention of the classification',
    )
  if (hold && regulation === undefined)
    site.problem(path, "a hold needs 'regulation'", 'Name the law that asks for it')
  if (!hold && action === undefined)
    site.problem(path, "an entry needs 'action'", 'Write anonymize, archive or delete; or hold: true')
  if (hold && action !== undefined)
    site.warning([...path, 'action'], 'a hold keeps what there is: its action is ignored', 'Leave it out')
  const since: Since =
    from === 'recordCreation' || from === 'lastActivity' ? { kind: from } : { kind: 'field', field: from }
  const resources = new Map<Resource, RowCondition | undefined>()
  const having = resourcesOf(entry, path, around)
  if (when !== undefined) around.conditions += having.length
  if (around.conditions > MOST_CONDITIONS) {
    site.problem(
      [...path, 'when'],
      `there are more than ${MOST_CONDITIONS} conditions up to here, one for each resource of an entry`,
      "Name the 'resources' that each entry is about, or have fewer entries",
    )
    return { at, category, duration, action, since, hold, regulation, resources }
  }
  for (const resource of having) {
    checkSince(resource, since, path, site, duration !== undefined)
    if (action === 'archive' && !hold && !resource.features.softDelete)
      site.problem(
        [...path, 'action'],
        `'${resource.name}' has no softDelete, so nothing there can be archived`,
        'Switch features.softDelete on, name other resources, or delete',
      )
    const rows = when && site.rows(when, [...path, 'when'], { resource, moment: 'read' })
    resources.set(resource, rows || undefined)
  }
  return { at, category, duration, action, since, hold, regulation, resources }
}

function resourcesOf(
  { category, resources }: RetentionDefinition,
  path: Path,
  { personal, site }: Around,
): readonly Resource[] {
  const having = new Set(
    personal.filter(({ flags }) => flags.classification === category).map(({ resource }) => resource),
  )
  if (resources === undefined) return [...having]
  return resources.flatMap((name, index) => {
    const resource = site.model.resources.get(name)
    if (resource && having.has(resource)) return [resource]
    const known = [...having].map((one) => one.name)
    site.problem(
      [...path, 'resources', index],
      resource ? `'${name}' has no field of '${category}'` : `there is no resource '${name}'`,
      nearestTo(name, known),
    )
    return []
  })
}

function checkSince(resource: Resource, since: Since, path: Path, site: Site, isTimed: boolean): void {
  if (!isTimed) return
  if (since.kind === 'field') {
    const field = resource.fields.get(since.field)
    if (field?.column && DAYS.has(field.compiled.type.column)) return
    return site.problem(
      [...path, 'from'],
      `'${resource.name}' has no stored date '${since.field}' to count from`,
      nearestTo(since.field, datesOf(resource)) ?? 'Write recordCreation, lastActivity, or a field of a date',
    )
  }
  if (hasTime(resource, CREATED) || resource.key.compiled.type.name === 'uuid') return
  if (since.kind === 'lastActivity' && hasTime(resource, 'updatedAt')) return
  site.problem(
    [...path, 'from'],
    `'${resource.name}' has nothing to count from`,
    'Give it createdAt (datetime, autoNow: create) or a uuid as key, or name a field of a date',
  )
}

const hasTime = ({ fields }: Resource, name: string): boolean =>
  fields.get(name)?.compiled.type.column === 'datetime'

const datesOf = ({ fields }: Resource): readonly string[] =>
  [...fields.values()]
    .filter(({ column, compiled }) => column && DAYS.has(compiled.type.column))
    .map(({ name }) => name)
