import { mergedReach, type Neighbours, type Reach } from '@svc/expression/contract'
import type { Reader, Row } from '@svc/store/contract'
import { wholeReach } from '../model/computed.ts'
import type { Resource } from '../model/resource.ts'
import type { ValidationRule } from '../model/validation.ts'
import { workOutAll } from '../present/formulas.ts'
import type { Fault } from '../speech/speech.ts'
import { opOf } from '../reach/context.ts'
import { neighboursOfOne } from '../reach/neighbours.ts'
import type { Change } from './change.ts'

/** Holds the record as it will be, with what it will lead to, against the resource's validation rules. */
export function checkRules(change: Change, reader: Reader): void | Promise<void> {
  const { resource, kind } = change
  const rules = rulesOf(resource)[kind === 'create' ? 'create' : 'update']
  if (rules.list.length === 0) return undefined
  if (rules.reach.size === 0 && rules.previousReach.size === 0) return check(change, rules)
  return checkReaching(change, rules, reader)
}

async function checkReaching(change: Change, rules: Rules, reader: Reader): Promise<void> {
  const { access, previous, values } = change
  const reading = { reader, access, rights: 'author' } as const
  const neighbours = await neighboursOfOne({ ...previous, ...values }, rules.reach, reading)
  const before = previous && (await neighboursOfOne(previous, rules.previousReach, reading))
  check(change, rules, neighbours, before)
}

function check(
  change: Change,
  { list }: Rules,
  neighbours?: Neighbours,
  previousNeighbours?: Neighbours,
): void {
  const { previous, values, caller, access, faults } = change
  const record: Row = workOutAll({ ...previous, ...values }, access, neighbours)
  const op = opOf(change)
  const context = { record, neighbours, previous, previousNeighbours, user: caller, op, now: access.now }
  faults.push(...list.filter(({ expression }) => !expression.holds(context)).flatMap(faultsOf))
}

/** The rules of one moment, and the related records that they ask about. */
interface Rules {
  readonly list: readonly ValidationRule[]
  readonly reach: Reach
  readonly previousReach: Reach
}

const remembered = new WeakMap<Resource, Readonly<Record<'create' | 'update', Rules>>>()

function rulesOf(resource: Resource): Readonly<Record<'create' | 'update', Rules>> {
  const known = remembered.get(resource)
  if (known) return known
  const made = { create: rulesOn('create', resource), update: rulesOn('update', resource) }
  remembered.set(resource, made)
  return made
}

function rulesOn(moment: 'create' | 'update', { validation, fields }: Resource): Rules {
  const list = validation.filter(({ on }) => on.includes(moment))
  return {
    list,
    reach: mergedReach(list.map(({ expression }) => wholeReach(expression, fields))),
    previousReach: mergedReach(list.map(({ expression }) => expression.previousReach)),
  }
}

const faultsOf = ({ name, message, fields, expression }: ValidationRule): readonly Fault[] =>
  (fields.length === 0 ? [''] : fields).map((field) => ({
    field,
    rule: name,
    sentence: 'expression',
    params: { expression: expression.source },
    ...(message !== undefined && { text: message }),
  }))
