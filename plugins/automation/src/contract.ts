/** What rules, workflows and schedules share: names, durations, triggers, actions, switches, ledgers. */
export { type Automation, AutomationCapability } from './automation.ts'
export { AUTOMATION_NAME, checkAutomationName, TAKEN_BY_STEPS } from './names.ts'
export {
  AUTOMATION_BOUNDS,
  compileDuration,
  type Duration,
  type DurationBounds,
  type DurationFault,
  DurationText,
  type DurationUnit,
  OFFSET_BOUNDS,
  readDuration,
} from './time/duration.ts'
export { addDuration, addOffset, dayAt, instantAt, isTimeZone, startOfDay, timeAt } from './time/calendar.ts'
export {
  type PlainDate,
  type PlainDateTime,
  type PlainTime,
  Temporal,
  type ZonedDateTime,
} from './time/temporal.ts'
export {
  type EventKind,
  EVENTS,
  eventsOf,
  type TriggerDefinition,
  triggerKeys,
} from './triggers/definition.ts'
export {
  compileTrigger,
  type Trigger,
  TRIGGER_VARIABLES,
  type TriggerPlace,
  triggerVariables,
} from './triggers/trigger.ts'
export { type Listeners, listenersOf } from './triggers/listeners.ts'
export { type Happened, happenedIn, hears } from './triggers/happened.ts'
export { changesOne } from './triggers/moment.ts'
export {
  type ActionDefinition,
  actionKeys,
  type OwnAction,
  SCHEDULE_ACTIONS,
  STEP_ACTIONS,
} from './actions/definition.ts'
export {
  type ActionPlace,
  type ActionResult,
  type CompiledAction,
  type Performer,
  type Performing,
  resultOf,
} from './actions/action.ts'
export { compileRecurrence, zoneOf } from './recurrence/compile.ts'
export type { Recurrence } from './recurrence/recurrence.ts'
export { type Source, SourceAnswer } from './source.ts'
export {
  Failure,
  failureOf,
  type FailureText,
  isOutOfReach,
  LEDGER_CODES,
  type LedgerCode,
  OUT_OF_REACH_DELAYS_MS,
} from './failure.ts'
export type { Switch, Switched, SwitchedKey, Switches } from './switches/switch.ts'
export { type SwitchedEntry, type SwitchPlace, switchWindow } from './switches/switch-window.ts'
export type { Ledger, LedgerFilter, LedgerWindow } from './ledgers/ledger.ts'
export { entryOf, ledgerWindow } from './ledgers/ledger-window.ts'
export { keptRecord, type LedgerReader, ledgerReader } from './ledgers/reader.ts'
export { type Announced, announce, isHeard } from './ledgers/announce.ts'
export { type Retained, sweepLedger } from './ledgers/retention.ts'
export { onceOf } from './ledgers/once.ts'
export { listAnswer, schemaOf } from './ledgers/schema.ts'
export { type Window, windows } from './ledgers/window.ts'
export {
  assertNotPassedOver,
  type KeptPassing,
  logPassing,
  type Passing,
  passOver,
  passOverKept,
} from './passing.ts'
