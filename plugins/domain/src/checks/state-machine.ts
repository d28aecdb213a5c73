import type { Path } from '../definition/problem.ts'
import { didYouMean, withArticle } from '../definition/names.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import type { State, StateMachine } from '../model/state-machine.ts'
import { eachResource, pathOf } from './check.ts'

/** A state machine names a text field, states that are declared, and fields that exist. */
export const stateMachine = eachResource((resource, report) => {
  const machine = resource.stateMachine
  if (machine === undefined) return
  const path = pathOf(resource, 'stateMachine')
  const judge = { resource, machine, path, report }
  checkField(judge)
  checkState(machine.initial, [...path, 'initial'], judge)
  for (const state of machine.states.values()) checkTransitions(state, judge)
  warnOfLostStates(judge)
})

interface Judge {
  readonly resource: Resource
  readonly machine: StateMachine
  readonly path: Path
  readonly report: Report
}

function checkField({ resource, machine, path, report }: Judge): void {
  const at = [...path, 'field']
  const field = resource.fields.get(machine.field)
  if (field === undefined) return unknownField(machine.field, at, resource, report)
  if (field.compiled.type.column !== 'text')
    report.problem(
      at,
      `'${field.name}' is ${withArticle(field.compiled.type.name)}; a state is kept in a string`,
    )
  if (field.computed !== undefined)
    report.problem(at, `'${field.name}' is worked out; a state is kept in a field of its own`)
  const { enumeration } = field
  if (enumeration === undefined) return
  for (const state of machine.states.keys()) {
    if (enumeration.values.has(state)) continue
    report.problem(
      [...path, 'states', state],
      `'${state}' is no value of the enumeration of '${field.name}'`,
      didYouMean(state, enumeration.values.keys()),
    )
  }
}

function checkState(state: string, at: Path, { machine, report }: Judge): void {
  if (machine.states.has(state)) return
  report.problem(at, `there is no state '${state}'`, didYouMean(state, machine.states.keys()))
}

function checkTransitions({ name, final, transitions }: State, judge: Judge): void {
  const { resource, machine, path, report } = judge
  const at = [...path, 'states', name, 'transitions']
  if (final && transitions.size > 0)
    report.problem(at, `'${name}' is final and has transitions`, 'Drop one of the two')
  for (const transition of transitions.values()) {
    const place = [...at, transition.name]
    checkState(transition.to, [...place, 'to'], judge)
    if (transition.guard !== undefined && transition.guards !== undefined)
      report.problem([...place, 'guard'], "a transition takes 'guards' or 'guard', not both")
    transition.requiredFields.forEach((field, index) => {
      if (!resource.fields.has(field))
        unknownField(field, [...place, 'requiredFields', index], resource, report)
    })
    if (transition.sets.has(machine.field))
      report.problem([...place, 'sets', machine.field], 'the transition itself sets the state', "Write 'to'")
  }
}

/** A state that no way leads to is hardly meant, though the service itself may start records in it. */
function warnOfLostStates({ machine, path, report }: Judge): void {
  const reached = new Set([machine.initial])
  for (const name of reached) for (const { to } of machine.from(name).values()) reached.add(to)
  for (const name of machine.states.keys()) {
    if (!reached.has(name))
      report.warning([...path, 'states', name], `no transition leads from '${machine.initial}' to '${name}'`)
  }
}

function unknownField(field: string, at: Path, { name, fields }: Resource, report: Report): void {
  report.problem(at, `'${name}' has no field '${field}'`, didYouMean(field, fields.keys()))
}
