import type { Command } from '../command.ts'
import { actions } from './actions.ts'
import { plugins } from './plugins.ts'
import { shutdown } from './shutdown.ts'
import { status } from './status.ts'

/** Every command of the socket. */
export const COMMANDS: readonly Command[] = [status, plugins, actions, shutdown]
