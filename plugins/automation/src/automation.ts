import { capability } from '@svc/kernel'
import type { ActionPlace, CompiledAction, Performer } from './actions/action.ts'
import type { ActionDefinition } from './actions/definition.ts'
import type { Switches } from './switches/switch.ts'

/** What rules, workflows and schedules share while the server runs. */
export interface Automation {
  /** Compiles an action; undefined where something is wrong with it, which is reported. */
  action(written: ActionDefinition, place: ActionPlace): CompiledAction | undefined
  /**
   * Says how actions of a kind are done; only during set-up. `notify`, `workflow`, `template` and `report` are done by the
   * plugins of these subsystems: where theirs is not loaded, a definition that wants one is warned of, and the action fails
   * with UNSUPPORTED. Other names are new kinds. A taken kind is an error.
   */
  performs(kind: string, performer: Performer): void
  readonly switches: Switches
}

/** The server's automation. */
export const AutomationCapability = capability<Automation>('automation')
