export {
  type Action,
  type ActionAccess,
  type ActionMap,
  type ActionName,
  type Call,
  type CallAction,
  defineAction,
  type Handled,
  type Input,
  type Output,
  type Telling,
} from './action.ts'
export { type Body, bytesOf, type RawBody, type SentBody } from './body.ts'
export { brand } from './brand.ts'
export type { Actions } from './actions.ts'
export type { Bus, EventMap, EventName, EventOf, Listener, RequestCompleted } from './bus.ts'
export { ANONYMOUS, type Caller, CallerChanged, SYSTEM } from './caller.ts'
export { type Capability, capability } from './capability.ts'
export { type Config, configError, type ConfigFault, configFaults, schemaFaults } from './config.ts'
export { errorText, withoutParams } from './envelope.ts'
export { type Environment, systemEnvironment } from './environment.ts'
export {
  AppError,
  defineErrors,
  type Detail,
  type ErrorTable,
  errors,
  type FieldError,
  unlessRefused,
} from './errors.ts'
export type { Exchange, Step } from './exchange.ts'
export type { Host, PluginState, PluginStatus, ProbeResult, Release } from './host.ts'
export type { Arrival } from './arrival.ts'
export type { Inbound } from './inbound.ts'
export { isoTime } from './iso-time.ts'
export { createKernel, type Kernel, type KernelOptions } from './kernel.ts'
export {
  countOf,
  droppedBy,
  type Ignored,
  ignoredBy,
  isStrict,
  offsetOf,
  type Page,
  PAGE_LIMITS,
  type PageLimits,
  pageOf,
} from './list-query.ts'
export type { ListeningPlace } from './listening.ts'
export { type Logger, silentLogger } from './log.ts'
export { nearest } from './nearest.ts'
export { isPending } from './pending.ts'
export { type Phase, PHASES } from './phase.ts'
export { type Pipeline, type Slot, STEPS } from './pipeline.ts'
export {
  type CheckContext,
  type Close,
  type Context,
  definePlugin,
  type Ending,
  type Needs,
  type Plugin,
} from './plugin.ts'
export { createRedaction, REDACTED, type Redaction } from './redaction.ts'
export { type Answer, type Content, JsonText, Reply, type ReplyParts, type Warning } from './reply.ts'
export { repeat, type Repeated } from './repeat.ts'
export { newRequestId } from './request-id.ts'
export { type Route, type RouteParameter, routeParameters, routeShape } from './route.ts'
export { shared } from './shared.ts'
export { StartupError } from './startup-error.ts'
export type { Around, SpanFacts, Spans } from './spans.ts'
export { until } from './until.ts'
export { createUuidV7 } from './uuid.ts'
export { referenceOf, substituteVariables, type Variables, variablesOf } from './variables.ts'
export { MAX_WARNINGS, Warnings } from './warnings.ts'
export { assertWellFormed, isCleanText, MAX_DEPTH } from './wellformed.ts'
