import type { Command } from '../command.ts'

/** Stops the process: what is in flight is finished first. */
export const shutdown: Command = {
  name: 'shutdown',
  run: () => ({ stopping: true }),
  afterAnswer: ({ host }) => host.requestStop('management.shutdown'),
}
