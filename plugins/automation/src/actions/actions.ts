import { nearest } from '@svc/kernel'
import { Failure } from '../failure.ts'
import type { ActionPlace, CompiledAction, Performer } from './action.ts'
import { type ActionDefinition, type OwnAction, SCHEDULE_ACTIONS, STEP_ACTIONS } from './definition.ts'
import { checkKeys } from './keys.ts'
import { RECORD_ACTIONS } from './records.ts'

/** The kinds of actions that definitions can name, and how each is done. */
export interface Actions {
  /** Compiles an action; undefined where something is wrong with it, which is reported. */
  action(written: ActionDefinition, place: ActionPlace): CompiledAction | undefined
  /** Says how actions of a kind are done. A taken kind is an error. */
  performs(kind: string, performer: Performer): void
}

/** Makes the kinds of the language itself; plugins add theirs. */
export function createActions(): Actions {
  const performers = new Map<string, Performer>()
  const kindsFor = (where: ActionPlace['in']): readonly string[] => [
    ...(where === 'workflow' ? STEP_ACTIONS : SCHEDULE_ACTIONS),
    ...[...performers].flatMap(([kind, one]) => (!isOwn(kind) && mayStand(one, where) ? [kind] : [])),
  ]

  return {
    action(written, place) {
      const { action: kind } = written
      if (!kindsFor(place.in).includes(kind)) return void tellUnknown(kind, place, kindsFor)
      if (isOwn(kind) && !checkKeys(kind, written, place)) return undefined
      const compiled = isOfRecords(kind)
        ? RECORD_ACTIONS[kind](written, place)
        : byPerformer(kind, written, place, performers.get(kind))
      return compiled && Object.freeze({ kind, ...compiled })
    },
    performs(kind, performer) {
      if (performers.has(kind) || isOfRecords(kind)) throw new Error(`the action '${kind}' is taken`)
      performers.set(kind, performer)
    },
  }
}

const isOwn = (kind: string): kind is OwnAction => SCHEDULE_ACTIONS.some((own) => own === kind)

const isOfRecords = (kind: string): kind is keyof typeof RECORD_ACTIONS => Object.hasOwn(RECORD_ACTIONS, kind)

const mayStand = ({ in: places }: Performer, where: ActionPlace['in']): boolean =>
  places === undefined || places.includes(where)

function tellUnknown(
  kind: string,
  { site, path, in: where }: ActionPlace,
  kindsFor: (where: ActionPlace['in']) => readonly string[],
): void {
  const known = kindsFor(where)
  const elsewhere = where === 'workflow' ? 'schedule' : 'workflow'
  const at = [...path, 'action']
  if (kindsFor(elsewhere).includes(kind)) {
    site.problem(at, `'${kind}' is for ${elsewhere}s alone`, `Write one of ${known.join(', ')}`)
    return
  }
  const meant = nearest(kind, known)
  const hint = meant === undefined ? `Write one of ${known.join(', ')}` : `Did you mean '${meant}'?`
  site.problem(at, `there is no action '${kind}'`, hint)
}

/** An action of a plugin: one that no plugin does is warned of, and fails each time. */
function byPerformer(
  kind: string,
  written: ActionDefinition,
  place: ActionPlace,
  performer: Performer | undefined,
): Omit<CompiledAction, 'kind'> | undefined {
  if (performer !== undefined) {
    const compiled = performer.compile(written, place)
    return compiled && { target: undefined, ...compiled }
  }
  place.site.warning(
    [...place.path, 'action'],
    `no plugin of this server does '${kind}': the action fails with UNSUPPORTED`,
  )
  return {
    target: undefined,
    expressions: [],
    perform: () => Promise.reject(new Failure('UNSUPPORTED', `no plugin of this server does '${kind}'`)),
  }
}
