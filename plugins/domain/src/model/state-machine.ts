import type { Value } from '@svc/store/contract'
import type { Path } from '../definition/problem.ts'
import type { StateMachineDefinition } from '../definition/schema/resource.ts'
import type { Text } from '../definition/schema/text.ts'
import { type Expression, mergedReach, type Reach, type Vocabulary } from '@svc/expression/contract'
import { type Assignments, buildAssignments } from './assignment.ts'
import { buildCondition } from './expression.ts'
import type { Field } from './field.ts'
import type { Report } from './report.ts'

/** A step from one state to another. */
export interface Transition {
  readonly name: string
  readonly label: Text | undefined
  readonly description: string | undefined
  readonly to: string
  /** Roles, any of which lets a caller pass; without guards everybody does who may use the transition. */
  readonly guards: readonly string[] | undefined
  readonly guard: Expression | undefined
  /** Fields that hold something afterwards. */
  readonly requiredFields: readonly string[]
  readonly sets: Assignments
}

export interface State {
  readonly name: string
  readonly label: Text | undefined
  readonly description: string | undefined
  readonly final: boolean
  readonly transitions: ReadonlyMap<string, Transition>
  /** Hooks that run after a record came into the state. */
  readonly onEnter: readonly string[]
  /** Hooks that run before a record leaves the state, and may stop it. */
  readonly onExit: readonly string[]
}

/** The states of a record, and the ways between them. */
export interface StateMachine {
  /** The field that holds the state. */
  readonly field: string
  readonly initial: string
  readonly states: ReadonlyMap<string, State>
  /** Names of all transitions, each once, in the order of the definition. */
  readonly transitions: readonly string[]
  /** The related records that the guards ask about. */
  readonly guardReach: Reach
  /** The transitions that leave a state; none where the state is not declared. */
  from(state: string): ReadonlyMap<string, Transition>
}

/** The state that a record is in; one that has none is at the beginning. */
export const stateOf = (machine: StateMachine, record: Readonly<Record<string, Value>>): string =>
  String(record[machine.field] ?? machine.initial)

export interface StateMachineSurroundings {
  /** The resource. */
  readonly name: string
  readonly fields: ReadonlyMap<string, Field>
  readonly vocabulary: Vocabulary
  readonly report: Report
}

const NO_TRANSITIONS: ReadonlyMap<string, Transition> = new Map()

/** Compiles the state machine of a resource. */
export function buildStateMachine(
  { field, initial, states: written }: StateMachineDefinition,
  path: Path,
  around: StateMachineSurroundings,
): StateMachine {
  const states = new Map(
    Object.entries(written).map(([name, state]) => [
      name,
      buildState(name, state, [...path, 'states', name], around),
    ]),
  )
  const transitions = [...new Set([...states.values()].flatMap((state) => [...state.transitions.keys()]))]
  return Object.freeze({
    field,
    initial,
    states,
    transitions,
    guardReach: mergedReach(
      [...states.values()].flatMap((state) =>
        [...state.transitions.values()].flatMap(({ guard }) => guard?.reach ?? []),
      ),
    ),
    from: (state: string) => states.get(state)?.transitions ?? NO_TRANSITIONS,
  })
}

type StateDefinition = StateMachineDefinition['states'][string]
type TransitionDefinition = NonNullable<StateDefinition['transitions']>[string]

function buildState(
  name: string,
  { label, description, final = false, transitions = {}, onEnter = [], onExit = [] }: StateDefinition,
  path: Path,
  around: StateMachineSurroundings,
): State {
  const built = Object.entries(transitions).map(
    ([step, transition]) =>
      [step, buildTransition(step, transition, [...path, 'transitions', step], around)] as const,
  )
  return Object.freeze({ name, label, description, final, transitions: new Map(built), onEnter, onExit })
}

function buildTransition(
  name: string,
  { label, description, to, guards, guard, requiredFields = [], sets }: TransitionDefinition,
  path: Path,
  around: StateMachineSurroundings,
): Transition {
  return Object.freeze({
    name,
    label,
    description,
    to,
    guards,
    guard:
      guard === undefined
        ? undefined
        : buildCondition(guard, [...path, 'guard'], around.vocabulary, around.report),
    requiredFields,
    sets: buildAssignments(sets, [...path, 'sets'], around),
  })
}
