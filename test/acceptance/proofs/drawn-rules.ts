import type { Random } from '../../kit/random.ts'

const MOMENTS = ['create', 'update', 'transition', 'delete'] as const
const ACTIONS = ['reject', 'warn', 'log'] as const
const TRANSITIONS = ['pay', 'close', 'reopen'] as const

/** A write, as rules see it. */
export interface Fact {
  readonly a: number | null
  readonly b: number | null
  readonly moment: 'create' | 'update' | 'delete'
  readonly transition?: string
  /** The fields that change their value. */
  readonly changed: readonly string[]
}

/** A condition as it is written, and what it means; null: nobody can say. */
interface Condition {
  readonly written: string
  readonly holds: (fact: Omit<Fact, 'changed'>) => boolean | null
}

export interface DrawnRule {
  readonly name: string
  readonly on: readonly (typeof MOMENTS)[number][]
  readonly fields?: readonly string[]
  readonly transition?: readonly string[]
  readonly asked?: Condition
  readonly condition: Condition
  readonly action: (typeof ACTIONS)[number]
  readonly priority?: number
  readonly dependsOn: readonly string[]
  readonly enabled: boolean
}

const over = (one: number | null, other: number | null) =>
  one === null || other === null ? null : one > other

function drawCondition(random: Random): Condition {
  const [field, limit] = [random.pick(['a', 'b'] as const), random.int(7)]
  return random.pick<Condition>([
    { written: `${field} > ${limit}`, holds: (fact) => over(fact[field], limit) },
    { written: 'a > b', holds: ({ a, b }) => over(a, b) },
    { written: `${field} == null`, holds: (fact) => fact[field] === null },
    { written: "op == 'delete'", holds: ({ moment }) => moment === 'delete' },
    { written: "$transition == 'pay'", holds: ({ transition }) => transition === 'pay' },
  ])
}

/** Draws the rules of a domain: some reject, warn, log, depend on earlier ones, are off. */
export function drawRules(random: Random): readonly DrawnRule[] {
  const rules: DrawnRule[] = []
  for (let at = 0; at < 4 + random.int(8); at += 1) {
    const on = MOMENTS.filter(() => random.int(2) === 0)
    const action = random.pick(ACTIONS)
    const earlier = rules.filter((one) => ACTIONS.indexOf(one.action) <= ACTIONS.indexOf(action))
    const dependsOn = earlier.filter(() => random.int(4) === 0).map(({ name }) => name)
    rules.push({
      name: `r${at}`,
      on: on.length === 0 ? ['update'] : on,
      ...(on.includes('update') && random.int(3) === 0 && { fields: [random.pick(['a', 'b'])] }),
      ...(on.includes('transition') &&
        random.int(3) === 0 && { transition: [random.pick(TRANSITIONS), 'close'] }),
      ...(random.int(3) === 0 && { asked: drawCondition(random) }),
      condition: drawCondition(random),
      action,
      ...(random.int(2) === 0 && { priority: random.pick([1, 50, 100, 200]) }),
      dependsOn,
      enabled: random.int(8) > 0,
    })
  }
  return rules
}

/** The rules as a definition has them, below the key `rules`. */
export const writtenRules = (rules: readonly DrawnRule[]): string =>
  rules
    .map(({ name, on, fields, transition, asked, condition, action, priority, dependsOn, enabled }) => {
      const trigger = {
        resource: 'Item',
        on,
        fields,
        transition: transition && [...new Set(transition)],
        condition: asked?.written,
      }
      const rest = {
        condition: condition.written,
        action,
        message: name,
        priority,
        enabled,
        ...(dependsOn.length > 0 && { dependsOn }),
      }
      return `    ${name}: ${JSON.stringify({ trigger, ...rest })}`
    })
    .join('\n')

/** What comes of rules for a write: which one rejects, which warn, and what the log gets. */
export function outcomeOf(rules: readonly DrawnRule[], fact: Fact) {
  const hears = ({ on, fields, transition }: DrawnRule) =>
    on.some((moment) => {
      if (moment === 'transition')
        return fact.transition !== undefined && (transition?.includes(fact.transition) ?? true)
      if (moment !== fact.moment) return false
      return moment !== 'update' || (fields?.some((field) => fact.changed.includes(field)) ?? true)
    })
  const [fired, undecided]: [DrawnRule[], DrawnRule[]] = [[], []]
  for (const action of ACTIONS) {
    const left = rules.filter((one) => one.action === action)
    while (left.length > 0) {
      const free = left.filter(({ dependsOn }) => !left.some(({ name }) => dependsOn.includes(name)))
      const first = Math.min(...free.map(({ priority = 100 }) => priority))
      const rule = free.find(({ priority = 100 }) => priority === first)!
      left.splice(left.indexOf(rule), 1)
      if (!rule.enabled || !hears(rule) || (rule.asked && rule.asked.holds(fact) !== true)) continue
      if (fired.some(({ name }) => rule.dependsOn.includes(name))) continue
      const holds = rule.condition.holds(fact)
      if (holds === null && action === 'reject') undecided.push(rule)
      if (holds !== true) continue
      fired.push(rule)
      if (action === 'reject') left.length = 0
    }
    if (fired.some((one) => one.action === 'reject')) break
  }
  const DONE = { reject: 'rejected', warn: 'warned', log: 'logged' }
  return {
    rejected: fired.find(({ action }) => action === 'reject')?.name ?? null,
    warned: fired.filter(({ action }) => action === 'warn').map(({ name }) => name),
    log: [
      ...undecided.map(({ name }) => `${name} undecided`),
      ...fired.map(({ name, action }) => `${name} ${DONE[action]}`),
    ],
  }
}
