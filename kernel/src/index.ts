export {
  type Access,
  type Action,
  type ActionMap,
  type ActionName,
  type Call,
  type CallAction,
  defineAction,
  type Input,
  type Output,
  type Route,
} from './action.ts'
export { brand } from './brand.ts'
export type { Actions, Release as ReleaseActions } from './actions.ts'
export type { Bus, EventMap, EventName, EventOf, Listener, RequestCompleted } from './bus.ts'
export { ANONYMOUS, type Caller, CallerChanged, SYSTEM } from './caller.ts'
export { type Capability, capability } from './capability.ts'
export { type Config, configError, type ConfigFault, configFaults, schemaFaults } from './config.ts'
export { type Answer, errorText } from './envelope.ts'
export { type Environment, systemEnvironment } from './environment.ts'
export { AppError, defineErrors, type Detail, type ErrorTable, errors, type FieldError } from './errors.ts'
export type { Host, PluginState, PluginStatus, ProbeResult, Release } from './host.ts'
export { createKernel, type Kernel, type KernelOptions } from './kernel.ts'
export { type Logger, silentLogger } from './log.ts'
export { nearest } from './nearest.ts'
export { type Exchange, type Inbound, type Pipeline, type Slot, type Step, STEPS } from './pipeline.ts'
export {
  type CheckContext,
  type Close,
  type Context,
  definePlugin,
  type Needs,
  type Phase,
  PHASES,
  type Plugin,
} from './plugin.ts'
export { type Content, JsonText, Reply, type ReplyParts, type Warning } from './reply.ts'
export { newRequestId } from './request-id.ts'
export { StartupError } from './startup-error.ts'
export { createUuidV7 } from './uuid.ts'
export { MAX_WARNINGS, Warnings } from './warnings.ts'
export { assertWellFormed, isCleanText, MAX_DEPTH } from './wellformed.ts'
