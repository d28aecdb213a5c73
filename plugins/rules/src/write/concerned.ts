import type { Change, Resource } from '@svc/domain/contract'
import type { MOMENTS } from '../definition.ts'
import type { Rule } from '../rule.ts'
import { askNear } from './ask.ts'

/** A write as rules sort it: one that takes a transition is an update too. */
type Moment = 'create' | 'update' | 'moved' | 'delete'

/** The events of a rule at each of these. */
const HEARD: Readonly<Record<Moment, readonly (typeof MOMENTS)[number][]>> = {
  create: ['create'],
  update: ['update'],
  moved: ['update', 'transition'],
  delete: ['delete'],
}

type ByMoment = Readonly<Record<Moment, readonly Rule[]>>

/** Rules by the writes that they look at: a write meets those of its resource and moment, and no other. */
export interface Concerned {
  readonly resources: ReadonlySet<Resource>
  /** Whether a write concerns any rule that is in force, and one of them may have something to say: most writes pass by. */
  concerns(change: Change): boolean
  /** The rules that it concerns, in their order; conditions are not asked. */
  of(change: Change): readonly Rule[]
}

/** Sorts rules, which come in the order in which they are asked. */
export function concernedBy(rules: readonly Rule[]): Concerned {
  const resources = new Set(rules.map(({ resource }) => resource))
  const sorted = new Map([...resources].map((resource) => [resource, byMoment(rules, resource)]))
  const listening = (change: Change): readonly Rule[] => {
    if (change.link !== undefined) return NONE
    return sorted.get(change.resource)?.[momentOf(change)] ?? NONE
  }
  const of: Concerned['of'] = (change) => listening(change).filter((rule) => isConcerned(rule, change))
  return {
    resources,
    concerns(change) {
      const rules = of(change)
      if (rules.length === 0) return false
      const found = askNear(rules, change)
      return found === undefined || found.fired.length + found.undecided.length > 0
    },
    of,
  }
}

const NONE: readonly Rule[] = []

const isConcerned = (rule: Rule, change: Change): boolean =>
  rule.switch.enabled && rule.trigger.concerns(change)

function byMoment(rules: readonly Rule[], resource: Resource): ByMoment {
  const own = rules.filter((rule) => rule.resource === resource)
  const at = (moment: Moment) =>
    own.filter(({ trigger }) => HEARD[moment].some((event) => trigger.events.includes(event)))
  return { create: at('create'), update: at('update'), moved: at('moved'), delete: at('delete') }
}

function momentOf({ kind, transition }: Change): Moment {
  if (kind === 'create') return 'create'
  if (kind === 'delete') return 'delete'
  return transition === undefined ? 'update' : 'moved'
}
