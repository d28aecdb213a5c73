import type { Command } from '../command.ts'
import { actions } from './actions.ts'
import { plugins } from './plugins.ts'
import { shutdown } from './shutdown.ts'
import { status } from './status.ts'

/** The commands of a socket: those of every server, and what plugins add. */
export interface Commands {
  readonly list: readonly Command[]
  /** Throws where the name is taken. */
  add(command: Command): void
}

export function createCommands(): Commands {
  const list: Command[] = [status, plugins, actions, shutdown]
  return {
    list,
    add(command) {
      if (list.some(({ name }) => name === command.name))
        throw new Error(`the management command '${command.name}' is there already`)
      list.push(command)
    },
  }
}
