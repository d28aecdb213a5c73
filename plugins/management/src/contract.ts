import { capability } from '@svc/kernel'
import type { Command } from './command.ts'

export { type Answer, askServer } from './ask-server.ts'
export type { Command, Server } from './command.ts'
export { type Place, socketPlace } from './place.ts'

/** The management socket, for plugins that have something to do for the owner of the process. */
export interface Management {
  /** Adds a command; only during set-up. Throws where its name is taken. */
  add(command: Command): void
}

/** Where commands are added to the management socket. */
export const ManagementCapability = capability<Management>('management')
