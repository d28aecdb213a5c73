import type { ActionPlace } from './action.ts'
import type { ActionDefinition, OwnAction } from './definition.ts'

type Key = Exclude<keyof ActionDefinition, 'action'>

/** Which keys an action needs, and which it may have besides; the others mean nothing beside it. */
interface Keys {
  readonly needs: readonly Key[]
  readonly takes: readonly Key[]
}

const ON_RECORD: readonly Key[] = ['target', 'recordId']

const KEYS: Readonly<Record<OwnAction, Keys>> = {
  create: { needs: ['target'], takes: ['input'] },
  update: { needs: ['input'], takes: ON_RECORD },
  transition: { needs: ['transition'], takes: [...ON_RECORD, 'input'] },
  notify: { needs: ['notification'], takes: [] },
  noop: { needs: [], takes: [] },
  delete: { needs: [], takes: ON_RECORD },
  archive: { needs: [], takes: ON_RECORD },
  workflow: { needs: ['target'], takes: ['input'] },
  template: { needs: ['target'], takes: ['input', 'recordId'] },
  report: { needs: ['target'], takes: ['input'] },
}

const ALL: readonly Key[] = ['target', 'input', 'transition', 'recordId', 'notification']

/** Reports keys that an action lacks, and those that mean nothing beside it; answers whether all is right. */
export function checkKeys(kind: OwnAction, written: ActionDefinition, place: ActionPlace): boolean {
  const { site, path } = place
  const { needs, takes } = KEYS[kind]
  const missing = needs.filter((key) => written[key] === undefined)
  // A schedule raises its notification after whatever it does.
  const raised: readonly Key[] = place.in === 'schedule' ? ['notification'] : []
  const known = [...needs, ...takes, ...raised]
  const idle = ALL.filter((key) => written[key] !== undefined && !known.includes(key))
  for (const key of missing) site.problem([...path, key], `is missing: 'action: ${kind}' needs it`)
  for (const key of idle)
    site.problem([...path, key], `means nothing beside 'action: ${kind}'`, 'Take one of them away')
  return missing.length + idle.length === 0
}
