import { compileDuration, compileTrigger, type Duration } from '@svc/automation/contract'
import type { Expression } from '@svc/domain/contract'
import type { WaitDefinition } from '../definition/step.ts'
import type { EventWait } from '../waits/wait.ts'
import { waitKeys } from './edges.ts'
import { expressionOf, nextFrom, type StepPlace } from './place.ts'
import { eventSpeechOf, speechOf } from './speech.ts'
import type { WaitStep } from './step.ts'

/** Compiles a step that rests; undefined where something is wrong with it, which is reported. */
export function waitStep(place: StepPlace): Omit<WaitStep, 'reads' | 'shapes'> | undefined {
  const { draft, path, scope, site } = place
  const written = draft.written.wait
  if (written === undefined) return undefined
  const keys = waitKeys(draft)
  for (const [name, { isTwice }] of Object.entries(keys))
    if (isTwice) site.problem([...path, name], `stands in 'wait' too`, 'Keep one of them')
  const at = [...path, 'wait']
  checkKeys(written, place)
  const wait = written.resource === undefined ? undefined : eventWait(written, place)
  const duration = durationOf(written, place)
  const { condition: said } = keys
  const about = wait?.trigger.resource
  const speech = about === undefined ? speechOf(scope) : eventSpeechOf(scope, about)
  const condition = expressionOf(said.value, said.path, place, { ...speech, kind: 'boolean' })
  if (keys.else.value !== undefined && said.value === undefined)
    site.problem(keys.else.path, "means nothing without 'condition'")
  if (written.resource !== undefined && wait === undefined) return undefined
  const late = written.timeout?.then
  return {
    kind: 'wait',
    name: draft.name,
    next: nextFrom(place, keys.then.value),
    resource: scope.resource,
    isItem: scope.isItem,
    expressions: [wait?.filter, condition].filter((one): one is Expression => one !== undefined),
    wait,
    duration,
    // A wait for nothing but time goes on as it says beside that.
    late: late === undefined && wait === undefined ? nextFrom(place, keys.then.value) : nextFrom(place, late),
    condition,
    otherwise: nextFrom(place, keys.else.value),
  }

  function eventWait(definition: WaitDefinition, { history }: StepPlace): EventWait | undefined {
    const { resource, event, transition, field, fields, history: named } = definition
    if (event === undefined) {
      site.problem([...at, 'event'], "is missing beside 'resource'", 'Say what has to happen to a record')
      return undefined
    }
    const trigger = compileTrigger({ resource, event, transition, field, fields, history: named }, at, site, {
      history,
      speech: { variables: scope.variables },
    })
    if (trigger === undefined) return undefined
    const { filter: source } = definition
    if (source === undefined) {
      const hint = `Say which one by 'filter', such as \`id == $trigger.record.id\``
      site.warning(at, `the event of any record of '${trigger.resource.name}' ends the wait`, hint)
      return { trigger, filter: undefined }
    }
    const said = { ...eventSpeechOf(scope, trigger.resource), kind: 'boolean' as const }
    const filter = expressionOf(source, [...at, 'filter'], place, said)
    return filter && { trigger, filter, written: site.asWritten([...at, 'filter'], source) }
  }
}

/** Reports keys of a wait that mean nothing beside the others, and those that are missing. */
function checkKeys(written: WaitDefinition, { site, path, draft }: StepPlace): void {
  const at = [...path, 'wait']
  const { resource, timeout } = written
  if (resource === undefined) {
    for (const key of ['event', 'transition', 'field', 'fields', 'history', 'filter'] as const)
      if (written[key] !== undefined) site.problem([...at, key], "means nothing without 'resource'")
    const { condition } = waitKeys(draft)
    if (condition.value !== undefined)
      site.problem(condition.path, "means nothing without 'resource'", 'Put a decide behind the wait')
    if (timeout === undefined)
      site.problem(
        at,
        'waits for nothing',
        "Say by 'resource' and 'event' for what, or by 'timeout.duration' how long",
      )
  } else if (timeout !== undefined && timeout.then === undefined) {
    site.problem(
      [...at, 'timeout', 'then'],
      "is missing beside 'resource'",
      'Name the step that follows when the time is over, or end',
    )
  }
}

const durationOf = ({ timeout }: WaitDefinition, { path, site }: StepPlace): Duration | undefined =>
  timeout === undefined
    ? undefined
    : compileDuration(timeout.duration, [...path, 'wait', 'timeout', 'duration'], site)
